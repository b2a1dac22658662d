/** What an agent asks of the user beside leave: forms, pages to be opened, plans to be approved. */
import { titleOf, type Form, type FormField } from '../acp/elicitation';
import type { Elicitation } from '../acp/elicitation-request';
import type { Asked, AskedQuestion, GivenAnswer } from '../acp/extensions/extension';
import type { PermissionOption } from '../acp/events';
import type { FormValue } from '../nvim/protocol';
import { oneLine } from '../text';
import type { Asking } from './asking';
import { QUESTION } from './model';
import type { Answer, Ask } from './questions';
import type { Session } from './session';

const ACCEPT: PermissionOption = { id: 'accept', name: 'Accept', kind: 'accept' };
const DECLINE: PermissionOption = { id: 'decline', name: 'Decline', kind: 'reject_once' };
const CANCEL: PermissionOption = { id: 'cancel', name: 'Cancel', kind: 'reject_cancel' };
/** A plan is allowed, or rejected with words. */
const APPROVE: PermissionOption = { id: 'accept', name: 'Approve', kind: 'allow_once' };
const REJECT: PermissionOption = { id: 'decline', name: 'Reject', kind: 'reject_once' };

export interface ElicitationsOptions {
  session: Session;
  asking: Asking;
  accepting: () => boolean;
}

interface Put {
  title: string;
  /** Lines of the card. */
  lines: string[];
  options: PermissionOption[];
  more: NonNullable<Ask['more']>;
  /** The session in which it is asked: a subagent's may be another than ours. */
  sessionId?: string | undefined;
  toolCallId?: string | undefined;
  meanwhile?: boolean | undefined;
  /** Lines of the card once it is answered. */
  told: (answer: Answer) => string[];
}

export class Elicitations {
  readonly #options: ElicitationsOptions;
  /** Pages that are yet to be opened or done with: the agent's id → its question, and its card. */
  readonly #pages = new Map<string, { question: string; block: string }>();

  constructor(options: ElicitationsOptions) {
    this.#options = options;
  }

  /** Answers `elicitation/create`. */
  async elicit(
    { ask, sessionId, toolCallId }: Elicitation,
    withdrawn: AbortSignal,
  ): Promise<object> {
    const put = ask.type === 'form' ? formPut(ask.form) : pagePut(ask);
    const answer = await this.#ask(
      { ...put, sessionId, toolCallId },
      withdrawn,
      (question, block) => {
        if (ask.type === 'url') this.#pages.set(ask.id, { question, block });
      },
    );
    if (ask.type === 'url' && answer?.option.id !== 'accept') this.#pages.delete(ask.id);
    if (!answer || answer.option.id === 'cancel') return { action: 'cancel' };
    if (answer.option.id === 'decline') return { action: 'decline' };
    return ask.type === 'form'
      ? { action: 'accept', content: answer.values ?? {} }
      : { action: 'accept' };
  }

  /** The agent is done with a page, however it was opened. */
  completed(id: string): void {
    const known = this.#pages.get(id);
    if (!known) return;
    this.#pages.delete(id);
    const { questions } = this.#options.asking;
    if (questions.get(known.question)) questions.withdraw(known.question, 'done elsewhere');
    else this.#say(known.block, ['The agent says that it is done.']);
  }

  /** Answers a request of a dialect. */
  async extended(
    { question, toolCallId, answer }: Asked,
    withdrawn: AbortSignal,
  ): Promise<unknown> {
    if (!question) return answer(null);
    const given = await this.#ask({ ...questionPut(question), toolCallId }, withdrawn);
    return answer(given && answerOf(given));
  }

  async #ask(
    { title, lines, options, more, sessionId, toolCallId, meanwhile, told }: Put,
    withdrawn: AbortSignal,
    onAsked: (question: string, block: string) => void = () => {},
  ): Promise<Answer | null> {
    const { session, asking, accepting } = this.#options;
    if (!accepting() || withdrawn.aborted) return null;
    const { reducer, context } = session;
    const id = asking.questions.newId();
    const known = toolCallId === undefined ? undefined : reducer.toolCall(toolCallId);
    const call = known
      ? { id: known.toolCallId }
      : { id: `${QUESTION}:${id}`, kind: QUESTION, title };
    const subagents = sessionId === undefined ? [] : [sessionId];
    const tool = reducer.toolOfQuestion(id, call, context.now(), subagents);
    const editable = 'there is no change of a file to be changed by hand';
    const answering = asking.ask(
      tool,
      {
        id,
        options,
        title,
        diff: [],
        editable,
        more,
        waits: true,
        ...(meanwhile && { meanwhile }),
      },
      withdrawn,
      [],
      lines,
    );
    const block = asking.questions.get(id)?.block ?? tool.id;
    onAsked(id, block);
    const answer = await answering;
    if (answer) this.#say(block, told(answer), lines);
    if (!known) this.#end(call.id, tool.parent === undefined ? undefined : sessionId, answer);
    return answer;
  }

  /** Puts lines on the card in place of those that were there, or behind them. */
  #say(block: string, lines: string[], instead?: string[]): void {
    const { session } = this.#options;
    const tool = session.transcript.blocks.get(block);
    if (tool?.kind !== 'tool') return;
    session.reducer.asks(block, instead ? lines : [...(tool.asks ?? []), ...lines]);
    session.changed();
  }

  /** A card of ours is no call that a turn could end. */
  #end(id: string, subagent: string | undefined, answer: Answer | null): void {
    const { reducer, context } = this.#options.session;
    const given = answer !== null && !answer.option.kind.startsWith('reject');
    const patch = { id, status: given ? 'completed' : 'cancelled' };
    const ended = { type: 'tool_call', patch, announced: false } as const;
    reducer.apply(subagent === undefined ? ended : { ...ended, subagent }, context.now());
    this.#options.session.changed();
  }
}

function formPut(form: Form): Put {
  const blocked = form.fields.some((field) => field.type === 'unknown' && field.required);
  return {
    title: titleOfForm(form),
    lines: formLines(form),
    options: blocked ? [DECLINE, CANCEL] : [ACCEPT, DECLINE, CANCEL],
    more: { form },
    meanwhile: form.meanwhile,
    told: ({ option, values }) =>
      option.id === 'accept' ? answers(form, values ?? {}) : formLines(form),
  };
}

function pagePut({ message, page }: Extract<Elicitation['ask'], { type: 'url' }>): Put {
  const { opens, ...url } = page;
  const lines = [
    ...message.split('\n'),
    page.url,
    ...(page.warning?.split('\n') ?? []).map((line) => `! ${line}`),
  ];
  return {
    title: `open ${page.host || 'a page'}`,
    lines,
    options: opens ? [{ ...ACCEPT, name: 'Open' }, DECLINE, CANCEL] : [DECLINE, CANCEL],
    more: { url: { ...url, message } },
    told: () => lines,
  };
}

function questionPut(question: AskedQuestion): Put {
  if (question.type === 'form') return formPut(question.form);
  const { title, plan } = question;
  const lines = plan.split('\n');
  return {
    title,
    lines,
    options: [APPROVE, REJECT],
    more: { plan: lines },
    told: ({ words }) =>
      words === undefined ? lines : [...lines, '', `You said: ${oneLine(words)}`],
  };
}

function answerOf({ option, values, words }: Answer): GivenAnswer | null {
  switch (option.id) {
    case 'accept':
      return { action: 'accept', values: values ?? {} };
    case 'decline':
      return { action: 'decline', ...(words !== undefined && { words }) };
    default:
      return null;
  }
}

/** What a form asks, in one line. */
function titleOfForm({ message, title, fields }: Form): string {
  const said = oneLine(message) || (title ?? '');
  const [field, ...more] = fields;
  if (said !== '' || !field) return said || 'an answer';
  return more.length === 0
    ? oneLine(field.description ?? titleOf(field))
    : fields.map(titleOf).join(' · ');
}

/** A form as text, with all that can be chosen. */
function formLines({ message, title, description, fields }: Form): string[] {
  const head = [title ?? '', message, description ?? ''].join('\n').split('\n').filter(Boolean);
  return [...head, ...fields.flatMap(fieldLines)];
}

function fieldLines(field: FormField): string[] {
  const needs = field.required ? ' *' : '';
  const about = field.description?.split('\n').map((line) => `  ${line}`) ?? [];
  const head = [`${titleOf(field)}${needs}`, ...about];
  switch (field.type) {
    case 'choice':
    case 'choices':
      return [...head, ...field.choices.flatMap(choiceLines)];
    case 'unknown':
      return [...head, `  can’t be filled in here: ${field.kind}`];
    default:
      return head;
  }
}

function choiceLines({
  title,
  description,
  preview = [],
}: {
  title: string;
  description?: string;
  preview?: string[];
}): string[] {
  return [
    `  · ${title}${description ? ` — ${description}` : ''}`,
    ...preview.map((line) => `      ${line}`),
  ];
}

/** What was answered; of a secret only that it was. */
function answers({ fields }: Form, values: Readonly<Record<string, FormValue>>): string[] {
  // A field may be called as what all objects have.
  const given = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  return fields.flatMap((field) => {
    const own = 'other' in field && field.other ? given(field.other.name) : undefined;
    const value = given(field.name);
    if (value === undefined && own === undefined) return [];
    const secret = field.type === 'text' && field.secret === true;
    const hidden = 'other' in field && field.other?.secret === true;
    const said = own === undefined ? [] : [hidden ? SECRET : String(own)];
    // A choice that stands for the user's own words says nothing beside them.
    const chosen = own === undefined ? [secret ? SECRET : shown(field, value!)] : [];
    return `${titleOf(field)}: ${[...chosen, ...said].join(', ')}`.split('\n');
  });
}

const SECRET = '••••••';

function shown(field: FormField, value: FormValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const choices = 'choices' in field ? field.choices : [];
  const name = (chosen: string) => choices.find((it) => it.value === chosen)?.title ?? chosen;
  return (Array.isArray(value) ? value : [String(value)]).map(name).join(', ');
}
