/** Cancels one subagent, where its agent takes that. */
import { oneLine } from '../text';
import type { Block, Subagent, Transcript } from './model';
import { above } from './nesting';
import type { Questions } from './questions';
import type { Session } from './session';
import { isActive } from './subagents';
import type { Target } from './turns';
import type { Voice } from './voice';

export interface CancelOptions {
  session: Session;
  target: Target | null;
  questions: Questions;
  voice: Voice;
}

/** `id`: of its block, or of one that stands under it. */
export function cancelSubagent(id: string, { session, target, questions, voice }: CancelOptions) {
  const { transcript, context } = session;
  const found = subagentAt(transcript, id);
  if (!found) return voice.tell('warn', 'this is no subagent: go to the block of one');
  const { block, subagent } = found;
  const name = oneLine(block.title) || 'this subagent';
  if (!subagent || !isActive(subagent.state)) {
    const runs = block.kind === 'tool' && block.status === 'in_progress';
    return voice.tell('warn', runs ? unable(name) : `${name} does not run`);
  }
  if (!subagent.cancel || !target) return voice.tell('warn', unable(name));
  // Whoever cancels answers what was asked meanwhile.
  questions.cancel((ask) => isUnder(transcript, ask.block, block.id));
  target.agent
    .notify('session/cancel', { sessionId: subagent.id })
    .catch((error: unknown) => context.onFault('session/cancel of a subagent', error));
  session.changed();
}

function unable(name: string): string {
  return `the agent can’t cancel ${name} by itself: cancel the whole turn`;
}

function subagentAt(
  transcript: Transcript,
  id: string,
): { block: Block & { title: string }; subagent: Subagent | undefined } | null {
  const start = transcript.blocks.get(id);
  for (const block of start ? [start, ...above(transcript, start)] : []) {
    if (block.kind === 'subagent') return { block, subagent: block.subagent };
    if (block.kind === 'tool' && (block.subagent || transcript.nested.has(block.id))) {
      return { block, subagent: block.subagent };
    }
  }
  return null;
}

function isUnder(transcript: Transcript, id: string, parent: string): boolean {
  return [...above(transcript, transcript.blocks.get(id))].some((block) => block.id === parent);
}
