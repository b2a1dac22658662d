/** What is asked beside leave: a form, a page to be opened, a plan to be approved. */
import type { ElicitationPropertySchema } from '@agentclientprotocol/sdk';
import { randomUUID } from 'node:crypto';
import { mend } from './slips';
import * as tools from './tools';
import type { Turn } from './turn';

const PAGE = 'https://agentclientprotocol.com/protocol/overview';

const CHANNELS: ElicitationPropertySchema = {
  type: 'string',
  title: 'Channel',
  description: 'Who gets it first.',
  oneOf: [
    { const: 'stable', title: 'Stable', description: 'everybody' },
    { const: 'beta', title: 'Beta', description: 'who asked for it' },
    { const: 'nightly', title: 'Nightly', description: 'nobody but us' },
  ],
};

const RELEASE: Record<string, ElicitationPropertySchema> = {
  version: {
    type: 'string',
    title: 'Version',
    description: 'Three numbers, such as 1.2.0.',
    pattern: '^\\d+\\.\\d+\\.\\d+$',
  },
  channel: CHANNELS,
  checks: {
    type: 'array',
    title: 'Checks',
    items: { type: 'string', enum: ['lint', 'test', 'audit'] },
    default: ['test'],
  },
  share: {
    type: 'integer',
    title: 'Share of users',
    description: 'In per cent.',
    minimum: 1,
    maximum: 100,
    default: 10,
  },
  mail: { type: 'string', title: 'Mail to', format: 'email' },
  dry: { type: 'boolean', title: 'Dry run', default: true },
};

/** Asks with a form: of one choice (`choice`), else of a field of every kind. */
export async function form(turn: Turn, argument: string): Promise<void> {
  if (!turn.capabilities.elicitation?.form) {
    return turn.say('Your client does not offer forms.\n');
  }
  const one = argument === 'choice';
  const answer = await turn.request('elicitation/create', {
    mode: 'form',
    sessionId: turn.session.id,
    message: one ? 'Which channel?' : 'What is to be released? (Nothing will be.)',
    requestedSchema: {
      type: 'object',
      properties: one ? { channel: CHANNELS } : RELEASE,
      required: one ? ['channel'] : ['version', 'channel'],
    },
  });
  if (answer.action !== 'accept') return turn.say(`The form was answered with ${answer.action}.\n`);
  const values = Object.entries(answer.content ?? {});
  const list = values.map(([name, value]) => `- ${name}: \`${JSON.stringify(value)}\``);
  await turn.say(`I received:\n\n${list.join('\n')}\n`);
}

/** Asks to open a page, and says afterwards that all is done there. */
export async function page(turn: Turn): Promise<void> {
  if (!turn.capabilities.elicitation?.url) {
    return turn.say('Your client does not offer to open pages.\n');
  }
  const elicitationId = randomUUID();
  const { action } = await turn.request('elicitation/create', {
    mode: 'url',
    sessionId: turn.session.id,
    elicitationId,
    url: PAGE,
    message: 'Have a look at how all this is spoken.',
  });
  if (action !== 'accept') return turn.say(`The page was answered with ${action}.\n`);
  await turn.pause(3000);
  await turn.complete(elicitationId);
  await turn.say('As far as I am concerned, that page is done with.\n');
}

/** Proposes to mend a file, has the plan approved, and does what was said. */
export async function approve(turn: Turn, path: string | null): Promise<void> {
  const before = path && (await tools.read(turn, path));
  if (!path || before === null) return turn.say('There is no file that I could plan with.\n');
  const name = tools.shown(turn, path);
  const { text, reasons } = mend(path, before);
  const steps = reasons.length > 0 ? reasons : ['Nothing is wrong with it, so nothing is done.'];
  const mode = await tools.approved(
    turn,
    `# Mend ${name}\n\n${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}\n\n` +
      `> A script has written this plan: it is as long as the slips that I know.\n\n` +
      `## Afterwards\n\nThe file is as follows:\n\n\`\`\`js\n${text.trimEnd()}\n\`\`\`\n`,
  );
  if (!mode) return turn.say(`Then \`${name}\` stays as it is. What shall be different?\n`);
  await turn.setMode(mode);
  if (text !== before) await tools.edit(turn, path, before, text);
  await turn.say('That was the plan.\n');
}
