/** Subagents: sessions of their own, which the client is told of as the draft of the protocol says. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { DemoSession } from './session';
import { findFile, findTests } from './project';
import * as tools from './tools';
import type { Turn } from './turn';

/** Two of them at the same time: one reads, the other runs something, and asks before. */
export async function helpers(turn: Turn): Promise<void> {
  await turn.say('I send two helpers out. What they do stands under their lines.\n');
  const { cwd } = turn.session;
  const [found, ran] = await Promise.all([
    help(turn, 'Look at the code', async (helper) => {
      const path = await findFile(cwd);
      const text = path && (await tools.read(helper, path));
      await helper.say(text ? `It has ${tools.size(text)}.\n` : 'There is none.\n');
      return text ? tools.size(text) : null;
    }),
    help(turn, 'Run the tests', async (helper) => {
      const [command, ...args] = (await findTests(cwd)) ?? ['node', '--version'];
      return tools.run(helper, command!, args);
    }),
  ]);
  await turn.say(
    `They are back: one read ${found ?? 'nothing'}, the other ` +
      `${ran === null ? 'ran nothing' : `came to exit code ${ran}`}.\n`,
  );
}

async function help<T>(
  turn: Turn,
  title: string,
  work: (helper: Turn) => Promise<T>,
): Promise<T | null> {
  const session = new DemoSession({
    ...turn.session.record,
    sessionId: turn.session.nextHelperId(),
    characters: 0,
    history: [],
  });
  session.turn = new AbortController();
  turn.session.helpers.set(session.id, session.turn);
  const tell = (fields: object): Promise<void> =>
    turn.send({
      sessionUpdate: 'subagent_update',
      sessionId: session.id,
      ...fields,
    } as unknown as SessionUpdate);
  await tell({ title, capabilities: { cancel: {} }, state: { state: 'running' } });
  const helper = turn.of(session, session.turn.signal);
  let stopReason = 'end_turn';
  try {
    return await work(helper);
  } catch (error) {
    if (!helper.signal.aborted) throw error;
    stopReason = 'cancelled';
    turn.signal.throwIfAborted();
    return null;
  } finally {
    turn.session.helpers.delete(session.id);
    await tell({ state: { state: 'idle', stopReason } });
  }
}
