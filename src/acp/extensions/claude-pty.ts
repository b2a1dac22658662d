/**
 * claude-pty-acp: a preview of what the agent says, read off its screen, until the text itself is there. Opted into and
 * told under `claude-pty-acp/streaming-preview`, in released versions under `claude-code-acp/streaming-preview`; in `_meta` of
 * the notification, not of the update. With `provisional`, a message chunk is a draft of turn `turn`; with
 * `replaceProvisional`, it is all that is said in that turn. `sessionEnded`: the program behind this session has ended.
 */
import { number, object, text, type Json } from '../coerce';
import type { AgentEvent } from '../events';
import type { Extension } from './extension';

const KEYS = ['claude-pty-acp/streaming-preview', 'claude-code-acp/streaming-preview'];

export const claudePty: Extension = {
  capabilities: {
    _meta: Object.fromEntries(KEYS.map((key) => [key, { provisionalReplace: true }])),
  },

  refine(events, meta, outer) {
    const preview = previewOf(outer) ?? previewOf(meta);
    return preview ? events.flatMap((event) => previewed(event, preview)) : events;
  },

  whole(meta, outer) {
    return (previewOf(outer) ?? previewOf(meta))?.replaceProvisional === true;
  },
};

function previewOf(meta: Json): Json | undefined {
  for (const key of KEYS) {
    const preview = object(meta[key]);
    if (preview) return preview;
  }
  return undefined;
}

function previewed(event: AgentEvent, preview: Json): AgentEvent[] {
  if (event.type !== 'chunk' || event.role !== 'agent') return [event];
  const { content, messageId } = event;
  const turn = number(preview.turn) ?? null;
  if (preview.sessionEnded === true) {
    const signal = text(preview.signal) ?? number(preview.signal)?.toString() ?? null;
    const ended: AgentEvent = { type: 'session_ended', code: number(preview.code) ?? null, signal };
    return content.type === 'text' && content.text === '' ? [ended] : [event, ended];
  }
  if (preview.replaceProvisional === true) return [{ type: 'final', turn, messageId, content }];
  if (preview.provisional === true) return [{ type: 'draft', turn, content }];
  return [event];
}
