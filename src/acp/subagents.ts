/** What the protocol's draft of subagents says: sessions of their own that an agent has started, and what they tell each other. */
import { compact, label, object, objects, string, text, type Json } from './coerce';
import { content } from './content';
import type { AgentEvent, SubagentPatch } from './events';

/** A `subagent_update`: on the session that has started it. */
export function subagentUpdate(update: Json): AgentEvent[] | undefined {
  const id = text(update.sessionId);
  if (id === undefined) return undefined;
  const capabilities = object(update.capabilities);
  const told = 'capabilities' in update;
  const patch = compact({
    id,
    title: label(update.title),
    description: label(update.description),
    cancel: told ? capabilities?.cancel != null : undefined,
    ...('state' in update ? stateOf(object(update.state) ?? {}) : {}),
  });
  return [{ type: 'subagent', patch }];
}

/** A snapshot of its state: what is not known is never taken for idle. */
function stateOf(snapshot: Json): Pick<SubagentPatch, 'state' | 'error'> {
  switch (snapshot.state) {
    case 'running':
      return { state: 'running' };
    case 'requires_action':
      return { state: 'waiting' };
    case 'idle':
      return ended(string(snapshot.stopReason) ?? 'end_turn', object(snapshot.error));
    default:
      return { state: 'unknown' };
  }
}

/** How its turn ended; it may be given another one. */
function ended(
  stopReason: string,
  error: Json | undefined,
): Pick<SubagentPatch, 'state' | 'error'> {
  const why = text(error?.message);
  switch (stopReason) {
    case 'end_turn':
      return { state: 'idle' };
    case 'cancelled':
      return { state: 'cancelled' };
    case 'error':
      return { state: 'failed', error: why ?? 'it could not finish' };
    case 'refusal':
      return { state: 'failed', error: why ?? 'it refused' };
    case 'max_tokens':
      return { state: 'failed', error: why ?? 'its answer reached the token limit' };
    case 'max_turn_requests':
      return { state: 'failed', error: why ?? 'too many model requests' };
    default:
      return { state: 'idle' };
  }
}

type Letter = Extract<AgentEvent, { type: 'letter' }>;

/** A `session_message` or a chunk of one. Told by both sessions: each names the other's copy, and the recipient's counts. */
export function letter(update: Json): Letter[] | undefined {
  const messageId = text(update.recipientMessageId) ?? text(update.messageId);
  if (messageId === undefined) return undefined;
  const isChunk = update.sessionUpdate === 'session_message_chunk';
  const words = isChunk ? wordsOf(update.content) : objects(update.content).map(wordsOf).join('\n');
  const says = isChunk || Array.isArray(update.content);
  return [
    compact({
      type: 'letter' as const,
      messageId,
      from: text(update.senderSessionId),
      to: text(update.recipientSessionId),
      append: isChunk ? words : undefined,
      text: says && !isChunk ? words : undefined,
    }),
  ];
}

function wordsOf(value: unknown): string {
  const said = content(value);
  return said.type === 'text' ? said.text : said.label;
}
