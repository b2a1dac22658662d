/**
 * A person at work while everything is killed now and then, and what must be true afterwards.
 *
 * All that the person types are words such as `d7.`, each once; the agent answers a prompt with pieces such as `m7#1`. So
 * each word on screen tells whose it is, and none may be missing or stand there twice.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, sessionAgent, type Nvim, type SessionAgent } from '../harness';
import { countOf, Memory, wordsOf, YOUNG_MS, type Sight } from './chaos-memory';
import { Chance } from './chance';
import { startChat } from './e2e';

export type Victim = 'nvim' | 'sidecar' | 'agent';

const PATIENCE = { timeout: 20_000 };

export class Life {
  readonly #chance: Chance;
  readonly #agent: SessionAgent;
  readonly #memory = new Memory();
  readonly #holds: string[] = [];
  /** What happened, for the one who looks for a fault. */
  readonly log: string[] = [];
  #nvim!: Nvim;
  #count = 0;

  private constructor(seed: number) {
    this.#chance = new Chance(seed);
    const can = this.#chance.pick([{}, { load: false }, { resume: false }]);
    this.#agent = sessionAgent({ can, quiet: true, paceMs: 3, steering: true });
    this.#note(`seed ${seed}, ${JSON.stringify(can)}`);
  }

  static async begin(seed: number): Promise<Life> {
    const life = new Life(seed);
    life.#nvim = await startChat(life.#agent);
    await life.#nvim.input(':AcpChat<CR>');
    await eventually(() => life.#look(), PATIENCE);
    return life;
  }

  /** Works for a while, kills `victim` in the middle of something, and looks at what is left. */
  async survive(victim: Victim): Promise<void> {
    for (let n = this.#chance.below(7) + 1; n > 0; n--) await this.#act();
    // Now and then all that was typed is old enough.
    if (this.#chance.below(3) === 0) await delay(YOUNG_MS + 50);
    this.#memory.remember(await this.#look());
    await this.#strike();
    await delay(this.#chance.below(120));
    const at = await this.#kill(victim);
    if (victim !== 'nvim') await this.#goOn(victim, at);
    if (victim === 'nvim' || this.#chance.below(2) === 0) await this.#anew(at);
    await this.#check(at);
  }

  /** Lets the agent finish all that waits, and looks whether it got every prompt once. */
  async finish(): Promise<void> {
    for (const hold of this.#holds.splice(0)) this.#release(hold);
    const waiting = (await this.#look()).queue.flatMap(wordsOf);
    await this.#type();
    await this.#nvim.input('<C-s>');
    await eventually(async () => {
      const { state, queue } = await this.#look();
      if (state !== 'idle' || queue.length > 0) throw new Error(`${state}, ${queue.length} wait`);
    }, PATIENCE);
    await this.#check(Date.now());
    const got = this.#agent.sessions().flatMap(({ prompts }) => prompts.flatMap(wordsOf));
    const faults = waiting
      .filter((word) => !got.includes(word))
      .map((word) => `${word} never came`);
    for (const word of new Set(got)) {
      if (countOf(got, word) > 1) faults.push(`the agent got ${word} ${countOf(got, word)} times`);
    }
    await this.#expectNone(faults);
  }

  // ---- what the user does

  async #act(): Promise<void> {
    const act = this.#chance.below(14);
    if (act < 4) await this.#type();
    else if (act < 9) await this.#send();
    else if (act < 11) await this.#rewrite();
    else if (act < 13) this.#letGo();
    else await this.#cancel();
  }

  /** The last thing before a kill: nobody waits for what becomes of it. */
  async #strike(): Promise<void> {
    const act = this.#chance.below(8);
    if (act < 2) await this.#keys(this.#newWord());
    else if (act < 4) await this.#keys(`${this.#newWord()}${this.#bid()}${this.#sendKey()}`);
    else if (act < 5) await this.#keys(this.#sendKey());
    else if (act < 6) await this.#rewriteKeys();
    else if (act < 7) this.#letGo();
  }

  /** Types a word and sees it. */
  async #type(): Promise<string> {
    const word = this.#newWord();
    await this.#keys(word);
    await eventually(async () => {
      if (!(await this.#look()).prompt.includes(word)) throw new Error(`${word} is not typed`);
    }, PATIENCE);
    this.#memory.typed(word);
    return word;
  }

  /** Sends what stands in the prompt. */
  async #send(): Promise<void> {
    const word = await this.#type();
    const key = this.#sendKey();
    await this.#keys(`${this.#bid()}${key}`);
    // Into a turn that is being cancelled nothing is sent: then it stays in the prompt.
    if (key === '<M-s>') return;
    await eventually(async () => {
      const { prompt, transcript } = await this.#look();
      if (prompt.includes(word) && !transcript.includes(word)) throw new Error('it is not sent');
    }, PATIENCE);
  }

  /** In its turn, or now, or into the turn that runs. */
  #sendKey(): string {
    return this.#chance.pick(['<C-s>', '<C-s>', '<C-s>', '<M-CR>', '<M-s>']);
  }

  /** Writes something else in place of a prompt that waits, and sees it. */
  async #rewrite(): Promise<void> {
    const change = await this.#rewriteKeys();
    if (!change) return;
    await eventually(async () => {
      const { transcript, prompt, queue } = await this.#look();
      const there = wordsOf(transcript + prompt);
      if (!there.includes(change.now)) {
        // It may have begun before the queue was seen.
        if (queue.flatMap(wordsOf).some((word) => change.was.includes(word))) {
          throw new Error('it is not changed');
        }
        return this.#memory.keeps(change.was, change.now);
      }
      // What has begun meanwhile stays as it was sent, and the change goes to the prompt.
      this.#memory.gone(change.was.filter((word) => !there.includes(word)));
    }, PATIENCE);
  }

  async #rewriteKeys(): Promise<{ was: string[]; now: string } | undefined> {
    const { queue } = await this.#look();
    // Several that were given back at once have become one of several lines.
    const one = queue.find((text) => !text.includes('\n')) ?? '';
    const was = wordsOf(one).filter((word) => this.#memory.knows(word));
    if (was.length === 0) return undefined;
    const now = this.#newWord();
    this.#memory.replaces(was, now);
    this.#note(`${was.join(' ')} becomes ${now}`);
    const line = was.at(-1)!.replace('.', '\\.');
    const change = `%s/.*${line}.*/${now}${this.#bid()}/e`;
    await this.#nvim.input(`<C-\\><C-n>:AcpQueue<CR>:${change}<CR>:wq<CR>`);
    return { was, now };
  }

  async #cancel(): Promise<void> {
    this.#note('cancel');
    await this.#nvim.input('<C-\\><C-n>:AcpCancel<CR>');
  }

  /** Lets a turn go on that waits. */
  #letGo(): void {
    const hold = this.#holds.shift();
    if (hold) this.#release(hold);
  }

  #release(hold: string): void {
    this.#note(`let ${hold} go`);
    writeFileSync(join(this.#nvim.dir, hold), '');
  }

  #newWord(): string {
    const word = `d${++this.#count}.`;
    this.#memory.begins(word);
    return word;
  }

  /** What the agent shall do. */
  #bid(): string {
    const name = `m${this.#count}`;
    const many = `[[many ${this.#chance.below(40) + 1} ${name}]]`;
    const hold = `w${this.#count}`;
    const more = this.#chance.pick(['', '[[tool]]', '[[think]]', '[[plan]]', 'hold', 'hold']);
    if (more !== 'hold') return ` ${more}${many}`;
    this.#holds.push(hold);
    return ` ${many}[[wait ${hold}]][[many 5 ${name}b]]`;
  }

  /** Types at the end of the prompt. */
  async #keys(keys: string): Promise<void> {
    this.#note(keys);
    await this.#nvim.input(`<C-\\><C-n>:AcpChat<CR><C-\\><C-n>GA ${keys}`);
  }

  // ---- kills

  /** Gives the time. */
  async #kill(victim: Victim): Promise<number> {
    const pid =
      victim === 'nvim'
        ? this.#nvim.pid
        : victim === 'sidecar'
          ? await this.#sidecar()
          : this.#agent.alive().at(-1);
    this.#note(`kill ${victim}`);
    const at = Date.now();
    if (pid) process.kill(pid, 'SIGKILL');
    if (victim === 'nvim') await this.#nvim.exited;
    return at;
  }

  #sidecar(): Promise<number | null> {
    return this.#nvim.lua<number | null>(`return require('acp.sidecar').pid()`);
  }

  /** In the same Neovim: it has seen what happened, and nothing is lost. */
  async #goOn(victim: Victim, at: number): Promise<void> {
    if (victim === 'sidecar') {
      await eventually(async () => {
        const { state } = await this.#look();
        if (state !== 'dead') throw new Error(`after the end of the sidecar it is ${state}`);
      }, PATIENCE);
    }
    // What was on its way when the sidecar ended is only seen again when that is back.
    if (victim === 'agent') await this.#check(at);
    // What is sent starts everything again.
    await this.#type();
    await this.#keys(`${this.#bid()}<C-s>`);
    await this.#check(at);
  }

  /** In a new Neovim, by `:AcpSessions`. */
  async #anew(at: number): Promise<void> {
    const { dir, home } = this.#nvim;
    await this.#nvim.close();
    await eventually(() => {
      if (this.#agent.alive().length > 0) throw new Error('the agent still runs');
    }, PATIENCE);
    this.#note('a new Neovim');
    this.#nvim = await startChat(this.#agent, { dir, home });
    if (!this.#memory.isKept(at)) {
      await this.#nvim.input(':AcpChat<CR>');
    } else {
      await this.#nvim.input(':AcpSessions<CR>');
      const number = await eventually(() => {
        const rows = this.#nvim.screen().match(/^\d+: .*/gm) ?? [];
        // It may have been named by nothing yet.
        const row =
          rows.find((it) => wordsOf(it).length > 0) ?? rows.find((it) => /draft/.test(it));
        if (!row) throw new Error(`the session is not listed:\n${this.#nvim.screen()}`);
        this.#note(rows.join('\n'));
        return Number.parseInt(row);
      }, PATIENCE);
      await this.#nvim.input(`${number}<CR>`);
    }
    await eventually(async () => {
      const { state } = await this.#look();
      if (state === 'starting') throw new Error('it is still starting');
    }, PATIENCE);
  }

  // ---- what must be true

  async #look(): Promise<Sight> {
    const { blocking } = (await this.#nvim.request('nvim_get_mode')) as { blocking: boolean };
    if (blocking) throw new Error(`Neovim waits for a key:\n${this.#nvim.screen()}`);
    const sight = this.#nvim.lua<Sight>(`
      local chat = require('acp.chat').list()[1]
      local status = require('acp.state').get(chat.session)
      return {
        transcript = table.concat(vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false), '\\n'),
        prompt = require('acp.ui.prompt').text(chat),
        queue = vim.tbl_map(function(entry) return entry.text end, status.queue),
        state = status.state,
      }
    `);
    const late = delay(PATIENCE.timeout, null, { ref: false });
    const seen = await Promise.race([sight, late]);
    if (!seen) throw new Error(`Neovim does not answer:\n${this.#nvim.screen()}`);
    return seen;
  }

  async #check(at: number): Promise<void> {
    // It may take a moment until all is there; once it is, it stays so.
    let faults: string[] = [];
    await eventually(async () => {
      const messages = this.#agent.sessions().flatMap((session) => session.messages);
      faults = this.#memory.faults(await this.#look(), messages, at);
      if (faults.length > 0) throw new Error(faults.join('\n'));
    }, PATIENCE).catch(() => {});
    await this.#expectNone(faults);
    this.#memory.forget(await this.#look());
  }

  async #expectNone(faults: string[]): Promise<void> {
    if (faults.length === 0) return;
    const { transcript, prompt } = await this.#look();
    throw new Error([...faults, '', transcript, '---', prompt].join('\n'));
  }

  /** All that helps to understand what went wrong. */
  story(): string {
    const got = this.#agent.sessions().map(({ id, prompts }) => `${id}: ${prompts.join(' | ')}`);
    return [...this.log, '', ...got, '', this.#nvim.screen()].join('\n');
  }

  #note(what: string): void {
    this.log.push(what);
  }
}
