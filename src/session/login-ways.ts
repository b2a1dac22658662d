/** The ways in which a session's agent can be logged in, and those of them that were tried in vain. */
import { methodsOfError, type AuthMethod, type LoginMethod } from '../acp/login';
import type { AgentSpec } from '../nvim/protocol';
import type { Link } from './link';
import { shown } from './login-method';

export class LoginWays {
  readonly #link: Link;
  readonly #spec: () => AgentSpec;
  /** Those that stand in no answer to `initialize`, but in an error. */
  #more: AuthMethod[] = [];
  /** Tried since it last worked. */
  readonly #vain = new Set<string>();

  constructor(link: Link, spec: () => AgentSpec) {
    this.#link = link;
    this.#spec = spec;
  }

  get all(): AuthMethod[] {
    const all = [...(this.#link.info?.authMethods ?? []), ...this.#more];
    return [...new Map(all.map((method) => [method.id, method])).values()];
  }

  /** Those that may help yet, as Neovim is told of them. */
  get left(): LoginMethod[] {
    const left = this.all.filter(({ id }) => !this.#vain.has(id));
    return left.map((method) => shown(method, this.#spec()));
  }

  /** Whether any was tried in vain. */
  get fewer(): boolean {
    return this.#vain.size > 0;
  }

  get(id: string): AuthMethod | undefined {
    return this.all.find((method) => method.id === id);
  }

  nameOf(id: string): string {
    return this.get(id)?.name ?? id;
  }

  /** An error may list some. */
  learn(error: unknown): void {
    this.#more = methodsOfError(error);
  }

  /** It is not offered once more unless it helps. */
  tried(id: string): void {
    this.#vain.add(id);
  }

  forget(): void {
    this.#vain.clear();
  }
}
