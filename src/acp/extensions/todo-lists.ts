/**
 * Lists of tasks that stand in the input of a tool as `todos` (`todowrite` of opencode and kilo, and others like it), where the
 * agent tells of no plan: such a list is the plan. The tool gives the same back as JSON, which nobody wants to read twice.
 */
import { object, objects, string, text } from '../coerce';
import type { AgentEvent } from '../events';
import type { Extension } from './extension';

export const todoLists: Extension = {
  toolCall(event) {
    const { rawInput, rawOutput, content } = event.patch;
    const entries = entriesOf(object(rawInput)?.todos);
    if (content?.length === 1 && content[0]?.type === 'text' && isList(content[0].text)) {
      event.patch.content = [];
    }
    const output = string(rawOutput) ?? string(object(rawOutput)?.output);
    if (output !== undefined && isList(output)) delete event.patch.rawOutput;
    return entries ? [event, { type: 'plan', planId: '', entries }] : [event];
  },
};

type Entries = Extract<AgentEvent, { type: 'plan' }>['entries'];

/** Undefined: it is no such list. */
function entriesOf(value: unknown): Entries | undefined {
  const items = objects(value);
  const tasks = items.flatMap(({ content, status, priority }) => {
    const words = text(content);
    const state = text(status);
    if (words === undefined || state === undefined) return [];
    return [{ content: words, status: state, priority: string(priority) ?? 'medium' }];
  });
  const whole = Array.isArray(value) && tasks.length === value.length;
  return whole && tasks.length > 0 ? tasks : undefined;
}

function isList(output: string): boolean {
  if (!output.startsWith('[') || !output.includes('"status"')) return false;
  try {
    return entriesOf(JSON.parse(output)) !== undefined;
  } catch {
    return false;
  }
}
