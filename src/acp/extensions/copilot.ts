/** Copilot: `_meta["github.com/copilot"].agentId` of an update names the subagent whose work it is. */
import { object, text } from '../coerce';
import type { Extension } from './extension';

export const copilot: Extension = {
  refine(events, meta) {
    const subagent = text(object(meta['github.com/copilot'])?.agentId);
    return subagent === undefined ? events : events.map((event) => ({ ...event, subagent }));
  },
};
