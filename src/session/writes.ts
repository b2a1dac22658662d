/** Writes through us: what the user has decided about them, and asks what is not decided. */
import { RequestError } from '@agentclientprotocol/sdk';
import type { Decision, Gate, Proposal } from '../client/files';
import { inShapeOf, plain } from '../client/merging';
import { realPath } from '../client/roots';
import { MAX_TEXT } from '../client/versions';
import type { FileDiff } from '../diff/file-diff';
import { fileDiff } from '../diff/hunks';
import { pathsOf, relative } from '../render/subject';
import type { Asking } from './asking';
import type { ToolBlock, ToolContent } from './model';
import type { Proposals } from './proposals';
import type { Session } from './session';
import { toolsOfTurn } from './tools-of-turn';
import { isFinal } from './turn-summary';

const OPTIONS = [
  { id: 'allow', name: 'Allow', kind: 'allow_once' },
  { id: 'allow_session', name: 'Allow all writes of this session', kind: 'allow_always' },
  { id: 'reject', name: 'Reject', kind: 'reject_once' },
];

export interface WritesOptions {
  session: Session;
  asking: Asking;
  proposals: Proposals;
  /** False while a turn is being cancelled. */
  accepting: () => boolean;
}

export class Writes implements Gate {
  readonly #options: WritesOptions;
  /** Nothing is asked any more, by the configuration or by the user's answer. */
  #free: boolean;

  constructor(options: WritesOptions) {
    this.#options = options;
    this.#free = options.session.context.config.writes === 'allow';
  }

  decided(path: string, content: string): string | null {
    const allowed = this.#options.proposals.fulfilled(path, content);
    if (allowed) return allowed.changed === null ? content : inShapeOf(content, allowed.changed);
    return this.#free ? content : null;
  }

  async ask(proposal: Proposal, withdrawn?: AbortSignal): Promise<Decision> {
    const { session, asking, accepting } = this.#options;
    const { questions } = asking;
    const { named, after } = proposal;
    // It was said while this one waited in line.
    if (this.#free) return { text: after };
    const { cancels } = questions;
    const id = questions.newId();
    const diff = this.#diff(proposal);
    const running = await this.#callFor([proposal.path, named]);
    if (!accepting() || withdrawn?.aborted || questions.cancels !== cancels) throw stopped(named);
    const tool = this.#card(id, proposal, running);
    const answer = await asking.ask(
      tool,
      { id, options: OPTIONS, diff, editable: editable(diff), waits: true },
      withdrawn,
    );
    const ended = (status: string): void => {
      if (running) return;
      const patch = { id: tool.toolCallId, status };
      session.reducer.apply({ type: 'tool_call', patch, announced: false }, session.context.now());
      session.changed();
    };
    if (answer?.option.id === 'allow_session') this.#free = true;
    if (answer && answer.option.id !== 'reject') {
      return {
        text: answer.text === undefined ? after : inShapeOf(after, answer.text),
        done: (written) => ended(written ? 'completed' : 'failed'),
      };
    }
    ended('cancelled');
    throw answer ? rejected(named, answer.words) : stopped(named);
  }

  #diff({ named, before, after, opaque }: Proposal): FileDiff[] {
    if (opaque) return [];
    const text = plain(after);
    const sides = [{ before: plain(before ?? ''), after: text, whole: true }];
    const diff = fileDiff(named, sides, { cwd: this.#options.session.cwd });
    const status = before === null ? 'new' : 'modified';
    return [{ ...diff, status, ...(Buffer.byteLength(text) <= MAX_TEXT && { text }) }];
  }

  /** The card of the call that is about to write the file, else one of the write's own. */
  #card(id: string, proposal: Proposal, running: ToolBlock | null): ToolBlock {
    const { reducer, cwd, context } = this.#options.session;
    const { named, before, after, opaque } = proposal;
    const content: ToolContent[] = opaque
      ? []
      : [{ type: 'diff', path: named, oldText: before, newText: after }];
    if (!running) {
      const title = `Write ${relative(named, cwd)}`;
      const call = {
        id: `write:${id}`,
        kind: 'edit',
        title,
        locations: [{ path: named }],
        content,
      };
      return reducer.toolOfQuestion(id, call, context.now());
    }
    if (!running.content.some(({ type }) => type === 'diff')) {
      const patch = { id: running.toolCallId, content: [...running.content, ...content] };
      reducer.apply({ type: 'tool_call', patch, announced: false }, context.now());
    }
    return running;
  }

  /** The call that names the file and has not ended, the last one first. */
  async #callFor(paths: string[]): Promise<ToolBlock | null> {
    for (const tool of toolsOfTurn(this.#options.session.transcript)) {
      if (isFinal(tool.status) || tool.question || tool.toolKind === 'read') continue;
      for (const { path } of pathsOf(tool)) {
        const real = await realPath(path).catch(() => path);
        if (paths.includes(path) || paths.includes(real)) return tool;
      }
    }
    return null;
  }
}

function editable([diff]: FileDiff[]): true | string {
  if (!diff) return 'what is there is no text: it can only be written as proposed';
  return diff.text === undefined ? 'the file is too large to be changed by hand here' : true;
}

function rejected(path: string, words?: string): RequestError {
  const why = words === undefined ? '' : `: ${words}`;
  return new RequestError(-32603, `The user rejected this write${why}`, { path });
}

function stopped(path: string): RequestError {
  return new RequestError(-32603, 'The turn was cancelled: nothing was written', { path });
}
