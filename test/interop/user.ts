import { eventually, startNvim, type Nvim } from '../harness';

/** Time for an agent to start or to answer, on a machine that has other things to do. */
const PATIENCE = { timeout: 60_000 };

/** A person at the keyboard: types, reads the screen, answers questions. */
export class User {
  private constructor(
    readonly nvim: Nvim,
    /** The agent that the winbar names. */
    readonly agent: string,
  ) {}

  static async sitDown(agent: string, init: string, env: Record<string, string>): Promise<User> {
    return new User(await startNvim({ columns: 160, lines: 50, init, env }), agent);
  }

  async command(command: string): Promise<void> {
    await this.nvim.input(`<Esc>:${keys(command)}<CR>`);
  }

  /** Writes a prompt, sends it, and waits until the agent works on it. */
  async send(prompt: string): Promise<void> {
    await this.nvim.input(`<Esc>i${keys(prompt)}<C-s>`);
    await this.#winbarSays('working|waiting for you');
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
    });
    await this.nvim.input(`${number}<CR>`);
  }

  async #winbarSays(state: string): Promise<void> {
    await this.sees(new RegExp(`${this.agent} · .*(${state})( |$)`));
  }
}

/** Text as keys: `<` would begin the name of one. */
function keys(text: string): string {
  return text.replaceAll('<', '<lt>');
}
