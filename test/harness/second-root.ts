import { spawnSync } from 'node:child_process';

/** Where a project lies for who is in the second root. */
export const THERE = '/mnt';

const ENTER =
  'mount --bind "$1" /mnt && mount -t tmpfs none "$1" && cd "$2" && shift 2 && exec "$@"';

/**
 * What leads into a mount namespace in which the folder `cwd` lies at {@link THERE}, and nothing at its own path: to be put
 * before a command. `{cwd}` in it stands for the folder by its name there.
 */
export function secondRoot(cwd: string): string[] {
  return [...UNSHARE, 'sh', '-c', ENTER, 'sh', cwd, '{cwd}'];
}

/** With the rights of a user who may not mount, in a namespace of users, too. */
const UNSHARE = [
  ['unshare', '-m'],
  ['unshare', '-Urm'],
].find(([program, ...args]) => {
  const tried = spawnSync(program!, [...args, 'mount', '--bind', '/tmp', THERE]);
  return tried.status === 0;
}) ?? ['unshare'];

/** Why there is no second root on this machine; false where there is one. */
export const noSecondRoot = UNSHARE.length === 1 && 'no mount namespace can be had here';
