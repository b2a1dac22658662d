/** Notices that some agents send as messages, with a key by which they can be told apart. */
import type { AgentEvent } from '../events';

type Severity = 'info' | 'warning' | 'error';

/** How bad an agent's word for it is. */
export function severityOf(level: string | undefined): Severity {
  if (level === 'error' || level === 'critical' || level === 'fatal') return 'error';
  return level === 'warning' || level === 'warn' ? 'warning' : 'info';
}

/** `**Warning:** the rest`: what stands in front of it, where agents know no other way to say what it is. */
const HEAD = /^\s*\*\*([^*\n]+?):?\*\*:?\s*/;

/** Heads that say no more than the glyph of a notice. */
const IDLE = /^(info|notice|warning|error)$/i;

/** The texts of the agent among the events, as notices. */
export function noticeOf(events: readonly AgentEvent[], severity: Severity): AgentEvent[] {
  return events.map((event) => {
    if (event.type !== 'chunk' || event.role !== 'agent' || event.content.type !== 'text') {
      return event;
    }
    const { text } = event.content;
    const head = HEAD.exec(text);
    const body = head ? text.slice(head[0].length) : text;
    const [first = '', ...rest] = body.trim().split('\n');
    return head && !IDLE.test(head[1]!)
      ? { type: 'notice', severity, title: head[1]!, detail: body.trim() }
      : { type: 'notice', severity, title: first, detail: rest.join('\n') };
  });
}
