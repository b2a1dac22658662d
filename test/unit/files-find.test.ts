/** Which files are found in a folder: with git, without, and when they change. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Finder } from '../../src/files/finder';
import { eventually, tempDir } from '../harness';

const LIMIT = 1000;

class Folder {
  constructor(readonly top: string = tempDir()) {}

  write(...names: string[]): this {
    for (const name of names) {
      mkdirSync(dirname(join(this.top, name)), { recursive: true });
      writeFileSync(join(this.top, name), '');
    }
    return this;
  }

  text(name: string, text: string): this {
    this.write(name);
    writeFileSync(join(this.top, name), text);
    return this;
  }

  git(...args: string[]): this {
    const who = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
    const allowed = ['-c', 'protocol.file.allow=always'];
    execFileSync('git', [...who, ...allowed, ...args], { cwd: this.top, stdio: 'pipe' });
    return this;
  }

  finder(...others: string[]): Finder {
    return new Finder([this.top, ...others], (error) => {
      throw error;
    });
  }
}

async function files(finder: Finder, query = ''): Promise<string[]> {
  const { paths } = await finder.find(query, LIMIT);
  return paths.filter((path) => !path.endsWith('/')).sort();
}

describe('with git', () => {
  test('files that git knows, and new ones that it does not ignore', async () => {
    const folder = new Folder().git('init', '-q').text('.gitignore', 'build/\n*.log\n');
    folder.write('a.ts', 'src/b.ts', 'build/out.js', 'src/x.log').git('add', '.');
    folder.write('new.ts', 'forced.log').git('add', '-f', 'forced.log');
    expect(await files(folder.finder())).toEqual(
      ['.gitignore', 'a.ts', 'forced.log', 'new.ts', 'src/b.ts'].sort(),
    );
  });

  test('in a folder within a repository what lies below it, named from there', async () => {
    const folder = new Folder().git('init', '-q').write('top.ts', 'sub/a.ts', 'sub/b/c.ts');
    folder.git('add', '.');
    expect(await files(new Folder(join(folder.top, 'sub')).finder())).toEqual(['a.ts', 'b/c.ts']);
  });

  test('in a folder that is ignored all that is in it', async () => {
    const folder = new Folder()
      .git('init', '-q')
      .text('.gitignore', 'build/\n')
      .write('build/x.js');
    expect(await files(new Folder(join(folder.top, 'build')).finder())).toEqual(['x.js']);
  });

  test('files of submodules, and of repositories that lie in it', async () => {
    const other = new Folder().git('init', '-q').write('lib.c', 'deep/er.c');
    other.git('add', '.').git('commit', '-qm', 'x');
    const folder = new Folder().git('init', '-q').write('main.c');
    folder.git('submodule', 'add', '-q', other.top, 'vendor/lib').git('add', '.');
    const nested = new Folder(join(folder.top, 'nested'));
    nested.write('n.c').git('init', '-q');
    expect(await files(folder.finder())).toEqual(
      ['.gitmodules', 'main.c', 'nested/n.c', 'vendor/lib/deep/er.c', 'vendor/lib/lib.c'].sort(),
    );
    const { paths } = await folder.finder().find('vendor/li', 10);
    expect(paths[0]).toBe('vendor/lib/');
  });

  test('a file with conflicts stands there once, one that is deleted not at all', async () => {
    const folder = new Folder().git('init', '-q', '-b', 'one').text('a.txt', '1\n').write('gone');
    folder.git('add', '.').git('commit', '-qm', '1').git('checkout', '-qb', 'two');
    folder.text('a.txt', '2\n').git('commit', '-qam', '2').git('checkout', '-q', 'one');
    folder.text('a.txt', '3\n').git('commit', '-qam', '3');
    expect(() => folder.git('merge', 'two')).toThrow();
    rmSync(join(folder.top, 'gone'));
    expect((await folder.finder().find('', LIMIT)).paths).toEqual(['a.txt']);
  });

  test('names with blanks, quotes, signs and letters of all kinds', async () => {
    const names = ['my file.txt', 'a"b', "it's", '[id]/$x', 'grün.md', '日本.md', 'tab'];
    const folder = new Folder().git('init', '-q').write(...names, 'line\nbreak');
    expect(await files(folder.finder())).toEqual([...names].sort());
  });

  test('nothing that the repository names is run', async () => {
    const folder = new Folder().git('init', '-q').write('a.ts').git('add', '.');
    const ran = join(folder.top, 'ran');
    const hook = join(folder.top, 'hook.sh');
    writeFileSync(hook, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    chmodSync(hook, 0o755);
    for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'diff.external'])
      folder.git('config', key, hook);
    folder.git('config', 'core.hooksPath', folder.top);
    rmSync(ran, { force: true });
    expect(await files(folder.finder())).toContain('a.ts');
    expect(existsSync(ran)).toBe(false);
  });

  test('a repository that is broken is a folder like others', async () => {
    const folder = new Folder().git('init', '-q').write('a.ts').git('add', '.');
    writeFileSync(join(folder.top, '.git/index'), 'damaged');
    expect(await files(folder.finder())).toEqual(['a.ts']);
  });
});

describe('without git', () => {
  test('ignore files count, those that lie nearer more, and only for what is below', async () => {
    const folder = new Folder();
    folder.text('.gitignore', '*.log\n/dist\nnode_modules/\n').text('.ignore', 'secret.txt\n');
    folder.text('keep/.gitignore', '!*.log\n').write('keep/x.log', 'x.log', 'dist/a', 'sub/dist/b');
    folder.write('secret.txt', 'node_modules/m/index.js', 'a.ts');
    expect(await files(folder.finder())).toEqual(
      ['.gitignore', '.ignore', 'a.ts', 'keep/.gitignore', 'keep/x.log', 'sub/dist/b'].sort(),
    );
  });

  test('a folder is left out only where it is ignored', async () => {
    const folder = new Folder().write('node_modules/m/index.js', '.hidden/x');
    expect(await files(folder.finder())).toEqual(['.hidden/x', 'node_modules/m/index.js']);
  });

  test('repositories in it are listed by git', async () => {
    const folder = new Folder().write('a.ts');
    const inner = new Folder(join(folder.top, 'code/inner'));
    inner.text('.gitignore', 'out/\n').write('b.ts', 'out/c.ts').git('init', '-q');
    expect(await files(folder.finder())).toEqual(
      ['a.ts', 'code/inner/.gitignore', 'code/inner/b.ts'].sort(),
    );
  });

  test('links are not followed, and what may not be read is passed by', async () => {
    const folder = new Folder().write('src/a.ts', 'closed/b.ts');
    symlinkSync(folder.top, join(folder.top, 'src/loop'));
    symlinkSync('nowhere', join(folder.top, 'dangling'));
    symlinkSync('src/a.ts', join(folder.top, 'link.ts'));
    chmodSync(join(folder.top, 'closed'), 0);
    const { paths } = await folder.finder().find('', LIMIT);
    chmodSync(join(folder.top, 'closed'), 0o755);
    expect(paths).toEqual(expect.arrayContaining(['src/a.ts', 'src/loop/', 'link.ts', 'closed/']));
    expect(paths.filter((path) => path.startsWith('src/loop/') && path !== 'src/loop/')).toEqual(
      [],
    );
    expect(paths).not.toContain('dangling');
  });

  test('a rule made to take for ever is not asked', async () => {
    const folder = new Folder().text('.gitignore', `${'*a'.repeat(30)}\n*.log\n`);
    folder.write('a'.repeat(200) + 'b', 'x.log');
    expect(await files(folder.finder())).toEqual(['.gitignore', 'a'.repeat(200) + 'b']);
  });

  test('a folder that is not there holds nothing', async () => {
    expect(await files(new Folder(join(tempDir(), 'gone')).finder())).toEqual([]);
  });
});

describe('beyond the list', () => {
  test('a folder that is typed is looked into: ignored, behind a link, or elsewhere', async () => {
    const other = new Folder().write('o.ts', '.rc', 'sub/p.ts');
    const folder = new Folder().git('init', '-q').text('.gitignore', 'build/\n');
    folder.write('build/out.js', 'build/deep/x.js', 'src/a.ts').git('add', '.');
    symlinkSync(other.top, join(folder.top, 'link'));
    const finder = folder.finder();
    const at = async (query: string) => new Set((await finder.find(query, LIMIT)).paths);
    expect(await at('build/')).toEqual(new Set(['build/out.js', 'build/deep/']));
    expect(await at('build/o')).toEqual(new Set(['build/out.js']));
    expect(await at('link/')).toEqual(new Set(['link/o.ts', 'link/sub/']));
    expect(await at('link/.r')).toEqual(new Set(['link/.rc']));
    expect(await at(`${other.top}/sub/`)).toEqual(new Set([`${other.top}/sub/p.ts`]));
    expect(await at('./src/a')).toEqual(new Set(['src/a.ts']));
    expect(await at('nowhere/x')).toEqual(new Set());
  });

  test('files of other roots are named by their whole path, each once', async () => {
    const outer = new Folder().write('o.ts', 'cwd/a.ts', 'cwd/in/b.ts', 'cwdx/c.ts');
    const other = new Folder().write('x.ts');
    const { top } = new Folder(join(outer.top, 'cwd'));
    const finder = new Finder([top, join(top, 'in'), outer.top, other.top], () => undefined);
    expect(await files(finder)).toEqual(
      [
        'a.ts',
        'in/b.ts',
        `${outer.top}/o.ts`,
        `${outer.top}/cwdx/c.ts`,
        `${other.top}/x.ts`,
      ].sort(),
    );
  });
});

describe('as time goes by', () => {
  test('files that appear are found, those that go are not', async () => {
    const folder = new Folder().git('init', '-q').write('old.ts', 'gone.ts').git('add', '.');
    const finder = folder.finder();
    expect(await files(finder)).toEqual(['gone.ts', 'old.ts']);
    renameSync(join(folder.top, 'gone.ts'), join(folder.top, 'made.ts'));
    expect(await files(finder)).toEqual(['old.ts']);
    await eventually(async () => expect(await files(finder)).toEqual(['made.ts', 'old.ts']), {
      timeout: 8000,
    });
  });

  test('what was mentioned comes first', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `src/model${i}.ts`);
    const folder = new Folder().write(...names, 'a/model.ts');
    const finder = folder.finder();
    finder.mentioned([join(folder.top, 'src/model41.ts'), join(folder.top, 'src/gone.ts')]);
    expect((await finder.find('mod', 5)).paths[0]).toBe('src/model41.ts');
    expect((await finder.find('', 5)).paths[0]).toBe('src/model41.ts');
    expect((await finder.find('zzz', 5)).paths).toEqual([]);
    finder.mentioned([join(folder.top, 'src/model7.ts')]);
    expect((await finder.find('mode', 2)).paths).toEqual(['src/model7.ts', 'src/model41.ts']);
  });

  test('no more than asked for, and it is told that there are more', async () => {
    const folder = new Folder().write('a1', 'a2', 'a3', 'b');
    const finder = folder.finder();
    expect(await finder.find('a', 2)).toEqual({ paths: ['a1', 'a2'], more: true });
    expect(await finder.find('b', 2)).toEqual({ paths: ['b'], more: false });
  });
});
