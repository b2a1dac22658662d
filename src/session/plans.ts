/** Plans of an agent, each a block of its turn: as a list, in words, or in a file. And plans that it wants to be approved. */
import { cappedText } from '../acp/cap';
import { object, text as nonEmpty } from '../acp/coerce';
import type { AgentEvent } from '../acp/events';
import { oneLine, sanitize, unmask } from '../text';
import type { Blocks } from './blocks';
import { TextLog, type PlanBlock, type ToolBlock } from './model';
import { mergedEntries } from './plan-entries';

export type PlanEvent = Extract<
  AgentEvent,
  { type: 'plan' | 'plan_text' | 'plan_file' | 'plan_removed' }
>;

export class Plans {
  readonly #blocks: Blocks;
  /** Plan id → its block; the plans of former turns stay as they were. */
  readonly #known = new Map<string, { block: string; former: boolean }>();

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  turnStarted(): void {
    for (const known of this.#known.values()) known.former = true;
  }

  apply(event: PlanEvent, now: number): void {
    const { planId } = event;
    const known = this.#known.get(planId);
    const block = known && this.#blocks.get(known.block, 'plan');
    if (event.type === 'plan_removed') {
      if (block) this.#blocks.remove(block.id);
      if (block) this.#blocks.touch(block.id);
      this.#known.delete(planId);
      return;
    }
    const plan = block && !known?.former ? block : undefined;
    const fields = fieldsOf(event, plan);
    if (plan) {
      Object.assign(plan, fields);
      this.#blocks.touch(plan.id);
    } else if (fields.entries.length > 0 || fields.text.length > 0 || fields.uri !== null) {
      const added = this.#blocks.add<PlanBlock>({ kind: 'plan', planId, ...fields }, now);
      this.#known.set(planId, { block: added.id, former: false });
    }
  }
}

function fieldsOf(
  event: Exclude<PlanEvent, { type: 'plan_removed' }>,
  plan: PlanBlock | undefined,
): Required<Pick<PlanBlock, 'entries' | 'text' | 'uri'>> {
  const none = { entries: [], text: new TextLog(), uri: null };
  switch (event.type) {
    case 'plan': {
      const { entries, merge } = event;
      return { ...none, entries: merge && plan ? mergedEntries(plan.entries, entries) : entries };
    }
    case 'plan_text':
      return { ...none, text: grown(plan?.text ?? none.text, event.text, event.append ?? false) };
    case 'plan_file':
      return { ...none, uri: event.uri };
  }
}

/** Some send a plan again and again as it grows: what is there stays, so that it is not drawn anew. */
function grown(before: TextLog, text: string, append: boolean): TextLog {
  const was = before.toString();
  if (!append && !text.startsWith(was)) return new TextLog(text);
  before.push(append ? text : text.slice(was.length));
  return before;
}

/** A plan that is to be approved. */
export interface AskedPlan {
  /** Markdown. */
  lines: string[];
  /** What the question says in place of its call. */
  about: { title: string; more: { plan: string[] } };
}

/** The plan that a permission request is about. `isPlan`: its dialect says that it is about one. */
export function askedPlan(tool: ToolBlock, isPlan: boolean): AskedPlan | null {
  if (!isPlan && tool.toolKind !== 'switch_mode') return null;
  const texts = tool.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const plan = nonEmpty(object(tool.rawInput)?.plan) ?? texts.join('\n\n');
  if (plan.trim() === '') return null;
  const lines = unmask(sanitize(cappedText(plan)))
    .trim()
    .split('\n');
  return {
    lines,
    about: { title: oneLine(tool.title) || 'Approve the plan', more: { plan: lines } },
  };
}
