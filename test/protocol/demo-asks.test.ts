/** What the demo agent asks beside leave, and what goes on beside its turn: to be tried without an account. */
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually, tempDir } from '../harness';
import { choose, DemoClient, EVERYTHING } from './demo-client';

const ASKS = { ...EVERYTHING, elicitation: { form: {}, url: {} } };

let dir: string;
let demo: DemoClient;

beforeEach(async () => {
  dir = tempDir();
  cpSync(resolve('demo'), dir, { recursive: true });
  demo = await DemoClient.connect({ stateDir: join(dir, '.state') }, ASKS);
  await demo.open(dir);
});
afterEach(() => demo.close());

const basket = (): string => readFileSync(join(dir, 'src/basket.js'), 'utf8');

it('asks with a form of all kinds of fields, and says what it received', async () => {
  demo.fill = () => ({ action: 'accept', content: { version: '1.2.0', checks: ['lint'] } });
  await demo.prompt('/form');
  const [request] = demo.elicited;
  expect(request).toMatchObject({
    mode: 'form',
    requestedSchema: { required: ['version', 'channel'] },
  });
  const { properties } = request!['requestedSchema'] as {
    properties: Record<string, { type: string }>;
  };
  const types = Object.values(properties).map(({ type }) => type);
  expect(types).toEqual(['string', 'string', 'array', 'integer', 'string', 'boolean']);
  expect(demo.said).toContain('- version: `"1.2.0"`');
  expect(demo.said).toContain('- checks: `["lint"]`');
});

it('asks with a form of one choice, and takes a no', async () => {
  demo.fill = () => ({ action: 'decline' });
  await demo.prompt('/form choice');
  expect(demo.elicited[0]).toMatchObject({ requestedSchema: { required: ['channel'] } });
  expect(demo.said).toContain('answered with decline');
});

it('asks to open a page, and tells when that is done', async () => {
  demo.fill = () => ({ action: 'accept' });
  await demo.prompt('/page');
  expect(demo.elicited[0]).toMatchObject({ mode: 'url' });
  await eventually(() => expect(demo.completed).toEqual([demo.elicited[0]!['elicitationId']]));
});

it('has a plan approved, goes on in the mode that was chosen, and does it', async () => {
  const before = basket();
  demo.answer = choose('auto');
  await demo.prompt('/approve src/basket.js');
  expect(demo.asked).toHaveLength(1);
  expect(demo.asked[0]!.toolCall).toMatchObject({ kind: 'switch_mode' });
  expect(demo.of('current_mode_update').at(-1)?.currentModeId).toBe('auto');
  expect(basket()).not.toBe(before);
});

it('does nothing of a plan that is rejected', async () => {
  const before = basket();
  demo.answer = choose('plan');
  await demo.prompt('/approve src/basket.js');
  expect(basket()).toBe(before);
  expect(demo.of('current_mode_update')).toEqual([]);
});

it('starts the tests anew each time a file changes', async () => {
  await demo.prompt('/background');
  const [call] = demo.of('tool_call');
  expect(call).toMatchObject({ title: 'node --watch test/basket.test.js' });
  await eventually(() => expect([...demo.terminals.values()][0]!.output).toContain('2 failed'));
  [...demo.terminals.values()][0]!.process.kill();
});

it('starts a program that goes on after the turn, and tells its end', async () => {
  await demo.prompt(`/background ${process.execPath} -e "process.stdin.resume()"`);
  expect(demo.said).toContain('goes on');
  expect(demo.called).not.toContain('terminal/release');
  [...demo.terminals.values()][0]!.process.kill();
  await eventually(() => expect(demo.called).toContain('terminal/release'));
  expect(demo.of('tool_call_update').at(-1)?.status).toBe('failed');
});

it('does not say that a program goes on which was not allowed', async () => {
  demo.answer = choose('reject');
  await demo.prompt('/background node --version');
  expect(demo.said).not.toContain('goes on');
});
