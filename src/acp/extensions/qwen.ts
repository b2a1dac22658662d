/**
 * qwen-code. Notifications of its own, without the `_` of extensions: `qwen/notify/session/mode-update` and `model-update` where
 * others send updates, `title-update`, and `prompt-suggestion`. `_meta.usage` of a message chunk that has no text: what the
 * last call of the model took; all of it is in the context now.
 */
import { label, number, object, text, type Json } from '../coerce';
import type { AgentEvent } from '../events';
import type { Extension } from './extension';
import { suggested } from './prompt-suggestions';

const PREFIX = 'qwen/notify/session/';

export const qwen: Extension = {
  notification(method, params) {
    if (!method.startsWith(PREFIX)) return undefined;
    const events = eventsOf(method.slice(PREFIX.length), params);
    const sessionId = text(params.sessionId);
    if (!events) return undefined;
    return { events, ...(sessionId !== undefined && { sessionId }) };
  },

  refine(events, meta) {
    const usage = object(meta.usage);
    const used = usage && (number(usage.totalTokens) ?? number(usage.inputTokens));
    return used !== undefined && used > 0 ? [...events, { type: 'usage', used }] : events;
  },
};

function eventsOf(kind: string, params: Json): AgentEvent[] | undefined {
  switch (kind) {
    case 'mode-update': {
      const modeId = text(params.currentModeId);
      return modeId === undefined ? [] : [{ type: 'mode', modeId }];
    }
    case 'model-update': {
      const modelId = text(params.currentModelId);
      return modelId === undefined ? [] : [{ type: 'model', modelId }];
    }
    case 'title-update': {
      const title = label(params.title);
      return title === undefined ? [] : [{ type: 'title', title }];
    }
    case 'prompt-suggestion':
      return [{ type: 'suggestions', texts: suggested([params.suggestion]) }];
    default:
      return undefined;
  }
}
