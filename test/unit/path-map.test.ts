import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PathMap } from '../../src/acp/path-map';

const map = new PathMap([
  { here: '/home/me/project', there: '/work' },
  { here: '/home/me', there: '/host' },
  { here: '/home/me/project/vendor', there: '/opt/vendor' },
  { here: '/home/me/ä b%#', there: '/odd/ü c' },
]);

describe('a path', () => {
  test.each([
    ['/home/me/project', '/work'],
    ['/home/me/project/', '/work/'],
    ['/home/me/project/src/a b.ts', '/work/src/a b.ts'],
    ['/home/me/project/vendor/x', '/opt/vendor/x'],
    ['/home/me/notes', '/host/notes'],
    ['/home/me/ä b%#/x', '/odd/ü c/x'],
  ])('%s is %s in the agent’s words, and back', (here, there) => {
    expect(map.path(here, 'there')).toBe(there);
    expect(map.path(there, 'here')).toBe(here);
  });

  test('is looked at folder by folder: the beginning of a name is no folder', () => {
    expect(map.path('/work-2/a', 'here')).toBe('/work-2/a');
    expect(map.path('/home/me/projects/a', 'there')).toBe('/host/projects/a');
  });

  test.each(['/etc/passwd', 'src/a.ts', '', '~/x', 'work/a', '/', './work', '\u0000'])(
    '%j outside of all folders stays as it is',
    (path) => expect(map.path(path, 'here')).toBe(path),
  );

  test('that leaves its folder by `..` is not in it', () => {
    expect(map.path('/work/../etc/passwd', 'here')).toBe('/work/../etc/passwd');
    expect(map.path('/work/src/../../work/./a', 'here')).toBe('/home/me/project/a');
    expect(map.path('//work//a', 'here')).toBe('/home/me/project/a');
  });

  test('is found below a root, too', () => {
    const jail = new PathMap([{ here: '/srv/jail', there: '/' }]);
    expect(jail.path('/srv/jail/etc/x', 'there')).toBe('/etc/x');
    expect(jail.path('/srv/jail', 'there')).toBe('/');
    expect(jail.path('/etc/x', 'here')).toBe('/srv/jail/etc/x');
    expect(jail.path('/', 'here')).toBe('/srv/jail');
  });

  test('of Windows is told with its own slashes', () => {
    const wsl = new PathMap([{ here: 'C:\\Users\\me\\p', there: '/mnt/c/Users/me/p' }]);
    expect(wsl.path('c:/users/ME/p\\src\\a.ts', 'there')).toBe('/mnt/c/Users/me/p/src/a.ts');
    expect(wsl.path('/mnt/c/Users/me/p/src/a.ts', 'here')).toBe('C:\\Users\\me\\p\\src\\a.ts');
    expect(wsl.uri('file:///C:/Users/me/p/a%20b', 'there')).toBe('file:///mnt/c/Users/me/p/a%20b');
    expect(wsl.uri('file:///mnt/c/Users/me/p/a', 'here')).toBe('file:///C:/Users/me/p/a');
    const share = new PathMap([{ here: '\\\\wsl$\\Ubuntu\\w', there: '/w' }]);
    expect(share.path('/w/a/b', 'here')).toBe('\\\\wsl$\\Ubuntu\\w\\a\\b');
    expect(share.path('\\\\wsl$\\Ubuntu\\w\\a', 'there')).toBe('/w/a');
    expect(share.uri('file:///w/a', 'here')).toBe('file://wsl$/Ubuntu/w/a');
    expect(share.uri('file://wsl$/Ubuntu/w/a', 'there')).toBe('file:///w/a');
  });

  test('that two folders here share there is the first one', () => {
    const links = new PathMap([
      { here: '/real/p', there: '/w' },
      { here: '/link', there: '/w' },
    ]);
    expect(links.path('/link/a', 'there')).toBe('/w/a');
    expect(links.path('/w/a', 'here')).toBe('/real/p/a');
  });

  test('stays where no folder is named, or none that is absolute', () => {
    expect(new PathMap().path('/work/a', 'here')).toBe('/work/a');
    expect(new PathMap([{ here: 'x', there: '/work' }]).path('/work/a', 'here')).toBe('/work/a');
  });
});

describe('a URI', () => {
  test.each([
    ['file:///work/a%20b.ts#L1-3', 'file:///home/me/project/a%20b.ts#L1-3'],
    ['file://localhost/work/x?y', 'file:///home/me/project/x?y'],
    ['file:///work', 'file:///home/me/project'],
    ['file:///work/', 'file:///home/me/project/'],
    ['file:///work/%7Efoo/(b)', 'file:///home/me/project/%7Efoo/(b)'],
    ['file:///odd/%C3%BC%20c/x', 'file:///home/me/%C3%A4%20b%25%23/x'],
    ['file:///%77ork/x', 'file:///home/me/project/x'],
    ['/work/plain', '/home/me/project/plain'],
  ])('%s names %s', (there, here) => expect(map.uri(there, 'here')).toBe(here));

  test.each([
    'file:///work%2Fa',
    'file:///work/%E0%A4%A',
    'file:///work-2/a',
    'https://example.com/work/a',
    'zed:///work/a',
    'file://box/work/a',
    'file://',
    'file:',
    '',
  ])('%j stays as it is', (uri) => expect(map.uri(uri, 'here')).toBe(uri));
});

/** Names of folders and files, odd ones among them. */
const name = fc
  .string({ unit: fc.constantFrom('a', 'b', ' ', '%', '#', '?', 'ä', '%20', '.x', '"', '\\n') })
  .filter((it) => it !== '' && it !== '.' && it !== '..');
const folder = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`);
/** Folders of which none lies in another there: what a mount hides has no name. */
const folders = fc
  .array(fc.record({ here: folder, there: folder }), { minLength: 1, maxLength: 4 })
  .filter((pairs) => {
    const inside = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`);
    return pairs.every((a, i) =>
      pairs.every((b, k) => i === k || (!inside(a.there, b.there) && a.here !== b.here)),
    );
  });

describe('for all folders and names', () => {
  test('what is told to the agent means the same when it comes back', () => {
    fc.assert(
      fc.property(folders, fc.nat(), fc.array(name, { maxLength: 3 }), (pairs, pick, names) => {
        const both = new PathMap(pairs);
        const path = posix.join(pairs[pick % pairs.length]!.here, ...names);
        const there = both.path(path, 'there');
        expect(pairs.some((it) => `${there}/`.startsWith(`${it.there}/`))).toBe(true);
        expect(both.path(there, 'here')).toBe(path);
        const uri = pathToFileURL(path).href;
        expect(decodeURI(both.uri(uri, 'there'))).toBe(decodeURI(pathToFileURL(there).href));
        expect(decodeURI(both.uri(both.uri(uri, 'there'), 'here'))).toBe(decodeURI(uri));
      }),
    );
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(folders, fc.string(), (pairs, text) => {
        const both = new PathMap(pairs);
        for (const uri of [text, `/${text}`, `file:///${text}`]) both.uri(uri, 'here');
      }),
    );
  });
});
