/** Requests that an agent has not answered yet: which session has made them. */
export class Requests<Port> {
  /** Known by their parameters, until the connection has given them an id. */
  readonly #owners = new Map<unknown, Port>();
  readonly #sent = new Map<unknown, unknown>();

  begin(params: object, port: Port): void {
    this.#owners.set(params, port);
  }

  sent(id: unknown, params: unknown): void {
    if (this.#owners.has(params)) this.#sent.set(id, params);
  }

  end(params: object): void {
    this.#owners.delete(params);
    for (const [id, sent] of this.#sent) if (sent === params) this.#sent.delete(id);
  }

  portOf(id: unknown): Port | undefined {
    return this.#owners.get(this.#sent.get(id));
  }
}

/** What is about a tool call belongs to the session that has it, else to the only one, or the only one that works. */
export function ofCall<Port extends { knows(toolCallId: string): boolean; resting: boolean }>(
  ports: readonly Port[],
  toolCallId: string,
): Port | undefined {
  return (
    ports.find((port) => port.knows(toolCallId)) ??
    only(ports) ??
    only(ports.filter(({ resting }) => !resting))
  );
}

export function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}
