/** A watchman beside the sidecar: when the sidecar is killed, what it started is ended all the same. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads `+ GROUP` and `- GROUP`; at the end of its input, which is the end of the sidecar however it came, it ends
 * the process groups that are left. Not every agent ends when its own input does.
 */
const SCRIPT = `
groups=' '
while read -r op group; do
  case $op in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for signal in TERM KILL; do
  left=
  for group in $groups; do kill -s $signal -- "-$group" && left=1; done
  [ $signal = TERM ] && [ $left ] && sleep 1
done
`;

class Guard {
  readonly #groups = new Set<number>();
  #shell: ChildProcessByStdio<Writable, null, null> | null = null;

  /** Ends the process group `group` when the sidecar ends without having done so. */
  watch(group: number): void {
    if (process.platform === 'win32') return;
    this.#groups.add(group);
    if (this.#shell) this.#tell(`+ ${group}`);
    else this.#start();
  }

  /** The group has ended; its number may soon be another's. */
  forget(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}`);
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // In a session of its own: what ends the sidecar's group must not end its watchman.
      detached: true,
    });
    // It neither keeps the sidecar running nor can its loss harm it: the next process starts another.
    shell.unref();
    (shell.stdin as Writable & { unref?: () => void }).unref?.();
    const lost = (): void => {
      if (this.#shell === shell) this.#shell = null;
    };
    shell.on('error', lost).on('exit', lost);
    shell.stdin.on('error', lost);
    this.#shell = shell;
    for (const group of this.#groups) this.#tell(`+ ${group}`);
  }

  #tell(line: string): void {
    this.#shell?.stdin.write(`${line}\n`);
  }
}

/** One for the whole sidecar. */
export const guard = new Guard();
