import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { isInside, resolveInside } from '../../src/client/roots';
import { tempDir } from '../harness';

let root: string;
let outside: string;

beforeEach(() => {
  root = join(tempDir(), 'project');
  outside = tempDir();
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src/a.py'), '');
  writeFileSync(join(outside, 'secret'), '');
});

const inside = (path: string, ...more: string[]): Promise<string> =>
  resolveInside(path, [root, ...more]);
const refusal = { code: -32602 };

describe('allowed', () => {
  test('a file of the session, and one that does not exist yet in folders that do not either', async () => {
    expect(await inside(join(root, 'src/a.py'))).toBe(join(root, 'src/a.py'));
    expect(await inside(join(root, 'new/deep/b.py'))).toBe(join(root, 'new/deep/b.py'));
  });

  test('a link within the folder is resolved to the file that it names', async () => {
    symlinkSync('src/a.py', join(root, 'link'));
    expect(await inside(join(root, 'link'))).toBe(join(root, 'src/a.py'));
  });

  test('a dangling link within the folder is resolved to the file that it will name', async () => {
    symlinkSync('src/later.py', join(root, 'link'));
    expect(await inside(join(root, 'link'))).toBe(join(root, 'src/later.py'));
  });

  test('dots, also behind folders that do not exist', async () => {
    expect(await inside(join(root, 'src') + '/./../src/a.py')).toBe(join(root, 'src/a.py'));
    expect(await inside(root + '/none/../src/a.py')).toBe(join(root, 'src/a.py'));
    expect(await inside(root + '/none/./b')).toBe(join(root, 'none/b'));
  });

  test('an additional root, a root that is itself a link, and the root of all', async () => {
    expect(await inside(join(outside, 'secret'), outside)).toBe(join(outside, 'secret'));
    const link = join(tempDir(), 'link');
    symlinkSync(root, link);
    expect(await resolveInside(join(link, 'src/a.py'), [link])).toBe(join(root, 'src/a.py'));
    expect(await resolveInside('/etc/hosts', ['/'])).toBe('/etc/hosts');
  });

  test('a name that only begins with dots', () => {
    expect(isInside('/a', '/a/..b')).toBe(true);
    expect(isInside('/a', '/a')).toBe(true);
  });
});

describe('refused', () => {
  test('a path outside, with a message that names the allowed folders', async () => {
    const refused = inside(join(outside, 'secret'));
    await expect(refused).rejects.toMatchObject(refusal);
    await expect(refused).rejects.toThrow(root);
  });

  test('a folder whose name begins like the root', async () => {
    mkdirSync(root + '-other');
    await expect(inside(root + '-other/x')).rejects.toMatchObject(refusal);
  });

  test('dots that lead out', async () => {
    await expect(inside(root + '/src/../../x')).rejects.toMatchObject(refusal);
    await expect(inside(root + '/none/../../x')).rejects.toMatchObject(refusal);
  });

  test('a folder that is a link to the outside, for what exists and what does not', async () => {
    symlinkSync(outside, join(root, 'out'));
    await expect(inside(join(root, 'out/secret'))).rejects.toThrow(outside);
    await expect(inside(join(root, 'out/new/file'))).rejects.toMatchObject(refusal);
    await expect(inside(root + '/out/../x')).rejects.toMatchObject(refusal);
  });

  test('a dangling link to the outside', async () => {
    symlinkSync(join(outside, 'later'), join(root, 'link'));
    await expect(inside(join(root, 'link'))).rejects.toMatchObject(refusal);
    symlinkSync(join(outside, 'dir'), join(root, 'dirlink'));
    await expect(inside(join(root, 'dirlink/x'))).rejects.toMatchObject(refusal);
  });

  test('a link to itself', async () => {
    symlinkSync('loop', join(root, 'loop'));
    await expect(inside(join(root, 'loop'))).rejects.toThrow(/too many symbolic links/);
  });

  test('a relative path and a NUL byte', async () => {
    await expect(inside('src/a.py')).rejects.toThrow(/absolute/);
    await expect(inside(join(root, 'a\0b'))).rejects.toThrow(/NUL/);
  });

  test('everything when the root is gone', async () => {
    await expect(resolveInside(join(root, 'src/a.py'), ['/none/such'])).rejects.toMatchObject(
      refusal,
    );
  });
});
