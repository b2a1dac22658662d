/** pi-acp. `_meta.piAcp.notify` of a message chunk: it is no message but a notice of pi or of one of its extensions. */
import { object, text } from '../coerce';
import type { Extension } from './extension';
import { noticeOf, severityOf } from './notices';

export const pi: Extension = {
  whole: (meta) => notify(meta) !== undefined,
  refine(events, meta) {
    const notice = notify(meta);
    return notice ? noticeOf(events, severityOf(text(notice.level))) : events;
  },
};

function notify(meta: Record<string, unknown>) {
  return object(object(meta.piAcp)?.notify);
}
