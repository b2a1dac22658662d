import { eventually, startNvim, type Nvim, type NvimOptions } from '../harness';
import type { Mode } from './agents';

/** Time for an agent to start or to answer, on a machine that has other things to do. */
const PATIENCE = { timeout: 60_000 };

/** Once, and not for good. */
export const ALLOW = /^(allow|yes)\b(?!.*(always|session|again))/i;
export const REJECT = /^(reject|deny|no)\b/i;

/** A row of a diff: its number, ` `, `+` or `-`, and its text. */
const DIFF_ROW = /│ +\d+ ([ +-]) (.*?) *│/;

/** A person at the keyboard: types, reads the screen, answers questions. */
export class User {
  private constructor(
    readonly nvim: Nvim,
    /** The agent that the winbar names. */
    readonly agent: string,
  ) {}

  static async sitDown(agent: string, options: NvimOptions): Promise<User> {
    return new User(await startNvim({ columns: 160, lines: 50, ...options }), agent);
  }

  async command(command: string): Promise<void> {
    await this.nvim.input(`<Esc>:${keys(command)}<CR>`);
  }

  /** Writes a prompt, sends it, and waits until the agent works on it. */
  async send(prompt: string): Promise<void> {
    await this.types(prompt);
    await this.works();
  }

  /** Writes a prompt and sends it. */
  async types(prompt: string): Promise<void> {
    await this.command('AcpChat');
    await this.nvim.input(`<Esc>i${keys(prompt)}<C-s>`);
  }

  async works(): Promise<void> {
    await this.#winbarSays('working|waiting for you');
  }

  /** Goes to the window with code, and there to a file. */
  async opens(file: string): Promise<void> {
    await this.command(`wincmd t | edit ${file}`);
    await eventually(async () => {
      const name = await this.nvim.request('nvim_buf_get_name', 0);
      if (name !== file) throw new Error(`${file} is not there, but ${String(name)}`);
    });
  }

  /** The file before and after a change, as the float shows it. */
  proposed(): { before: string; after: string } {
    const rows = this.nvim
      .screen()
      .split('\n')
      .flatMap((row) => {
        const [, mark, text] = row.match(DIFF_ROW) ?? [];
        return mark === undefined ? [] : [{ mark, text: `${text}\n` }];
      });
    const without = (mark: string) =>
      rows.map((row) => (row.mark === mark ? '' : row.text)).join('');
    return { before: without('+'), after: without('-') };
  }

  async changesMode({ id, name }: Mode): Promise<void> {
    await this.command(`AcpMode ${id}`);
    await this.sees(`${this.agent} · ${name} `);
  }

  async sees(text: string | RegExp): Promise<void> {
    await this.nvim.waitForScreen(text, PATIENCE);
  }

  /** Waits for the end of the turn. */
  async turnEnds(): Promise<void> {
    await this.#winbarSays('idle');
  }

  /** Waits for the question, and chooses the option whose label is meant. */
  async answers(label: RegExp): Promise<void> {
    await this.sees(/Type number/);
    const number = await eventually(() => {
      const options = [...this.nvim.screen().matchAll(/^\s*(\d+): (.*\S)/gm)];
      const option = options.find(([, , name]) => label.test(name!));
      if (!option) throw new Error(`no option ${label} in\n${this.nvim.screen()}`);
      return option[1]!;
    }, PATIENCE);
    await this.nvim.input(`${number}<CR>`);
  }

  /** Allows once what is asked, if anything is, and waits for the end of the turn. */
  async allowsIfAsked(): Promise<void> {
    await this.sees(new RegExp(`Type number|${this.#winbar('idle')}`));
    if (this.nvim.screen().includes('Type number')) await this.answers(ALLOW);
    await this.turnEnds();
  }

  async #winbarSays(state: string): Promise<void> {
    await this.sees(new RegExp(this.#winbar(state)));
  }

  #winbar(state: string): string {
    return `${this.agent} · .*(${state})( |$)`;
  }
}

/** Text as keys: `<` would begin the name of one. */
function keys(text: string): string {
  return text.replaceAll('<', '<lt>');
}
