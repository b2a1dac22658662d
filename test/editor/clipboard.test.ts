/** Images from the clipboard, with stand-ins for the programs that read it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, tempDir } from '../harness';
import type { Nvim } from '../harness';
import { openChat } from './chat-fixture';
import type { ChatFixture } from './chat-fixture';
import { media, png } from './media-fixture';

interface Program {
  name: string;
  /** A shell script; `$IMAGE` is a file that holds the image. */
  script: string;
}

/** A chat where these programs, and none else, read a clipboard that holds `image`. */
async function withClipboard(
  programs: Program[],
  image: Buffer,
  env: Record<string, string | undefined> = {},
): Promise<ChatFixture> {
  const bin = tempDir();
  writeFileSync(join(bin, 'image'), image);
  for (const { name, script } of programs) {
    writeFileSync(join(bin, name), `#!/bin/sh\nIMAGE=${join(bin, 'image')}\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return openChat({
    columns: 160,
    env: {
      PATH: `${bin}:/usr/bin:/bin`,
      WAYLAND_DISPLAY: undefined,
      DISPLAY: undefined,
      ...env,
    },
  });
}

/** Lists what it has for a listing, and gives the image for its kind. */
const lists = (listing: string, kinds: string): string =>
  `case "$*" in *${listing}*) printf '${kinds}';; *) echo "$*" > "$IMAGE.asked"; cat "$IMAGE";; esac`;

const WAYLAND = { WAYLAND_DISPLAY: 'wayland-0' };
const X11 = { DISPLAY: ':0' };

const attached = (nvim: Nvim) =>
  nvim.lua<{ path: string; mime: string; name: string }[]>(
    `return require('acp.chat').get('s1').attachments`,
  );
const add = async ({ nvim }: ChatFixture) => {
  await nvim.input('<Esc>:AcpAdd image<CR>');
};
const only = async ({ nvim }: ChatFixture) => {
  await eventually(async () => expect(await attached(nvim)).toHaveLength(1));
  return (await attached(nvim))[0]!;
};

describe('the image in the clipboard', () => {
  test('of Wayland is attached and kept, for its owner alone', async () => {
    const script = lists('--list-types', 'text/plain\\nimage/jpeg\\nimage/png\\n');
    const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    await add(chat);
    const { path, ...rest } = await only(chat);
    expect(rest).toEqual({ type: 'media', mime: 'image/png', name: 'clipboard.png' });
    expect(path).toMatch(/\/state\/nvim\/acp\/media\/[0-9a-f]{16}\.png$/);
    expect(readFileSync(path)).toEqual(media.png);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    await chat.nvim.waitForScreen('attached clipboard.png (640×480, 24 B)');
    await add(chat);
    await chat.nvim.waitForScreen('attached again');
    expect(readdirSync(join(path, '..'))).toHaveLength(1);
  });

  test('of X11 is attached, of the kind that there is', async () => {
    const script = lists('TARGETS', 'TIMESTAMP\\nimage/bmp\\nimage/jpeg\\n');
    const chat = await withClipboard([{ name: 'xclip', script }], media.jpeg, X11);
    await add(chat);
    expect(await only(chat)).toMatchObject({ mime: 'image/jpeg', name: 'clipboard.jpg' });
  });

  test('is read by what there is: X11 under Wayland without wl-paste', async () => {
    const script = lists('TARGETS', 'image/png\\n');
    const chat = await withClipboard([{ name: 'xclip', script }], media.png, {
      ...WAYLAND,
      ...X11,
    });
    await add(chat);
    expect(await only(chat)).toMatchObject({ mime: 'image/png' });
  });

  test.each<[string, string, string]>([
    ['pngpaste', 'mac', '[ "$1" = - ] && cat "$IMAGE"'],
    [
      'osascript',
      'mac',
      `printf '«data PNGf'; od -An -v -tx1 "$IMAGE" | tr -d ' \\n'; printf '»\\n'`,
    ],
    ['powershell', 'win32', 'base64 "$IMAGE"'],
    ['powershell.exe', 'wsl', 'base64 "$IMAGE"'],
  ])('is read by %s', async (name, system, script) => {
    const chat = await withClipboard([{ name, script }], png(3, 4));
    await chat.nvim.lua(
      `local has = vim.fn.has
      vim.fn.has = function(feature) return feature == ... and 1 or has(feature) end`.replace(
        '...',
        `'${system}'`,
      ),
    );
    await add(chat);
    await chat.nvim.waitForScreen('attached clipboard.png (3×4, 24 B)');
  });

  test('comes by a key in the prompt, also in insert mode', async () => {
    const script = lists('--list-types', 'image/png\\n');
    const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    await chat.nvim.input('text<M-v>');
    await only(chat);
    expect(await chat.prompt()).toBe('text');
    await chat.nvim.waitForScreen('@clipboard.png 640×480 24 B ✕');
  });

  test('is had at once for a mention', async () => {
    const script = lists('--list-types', 'image/png\\n');
    const { nvim } = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    expect(
      await nvim.lua(
        `return require('acp.context').resolve('image', require('acp.chat').get('s1'))`,
      ),
    ).toMatchObject([{ type: 'media', mime: 'image/png' }]);
  });
});

describe('it is said', () => {
  const says = async (chat: ChatFixture, text: string) => {
    await add(chat);
    await chat.nvim.waitForScreen(text, { timeout: 15_000 });
    expect(await attached(chat.nvim)).toEqual([]);
  };

  test('that there is nothing', async () => {
    const script = 'echo Nothing is copied >&2; exit 1';
    const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    await says(chat, 'there is no image in the clipboard');
  });

  test('that there is no image', async () => {
    const script = lists('--list-types', 'text/plain\\n');
    const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    await says(chat, 'there is no image in the clipboard');
  });

  test('that it is none that agents know', async () => {
    const script = lists('--list-types', 'image/png\\n');
    const chat = await withClipboard(
      [{ name: 'wl-paste', script }],
      Buffer.from('BM not a png'),
      WAYLAND,
    );
    await says(chat, 'what the clipboard holds is no image that agents know');
  });

  test('what the program said that failed', async () => {
    const script = `case "$*" in *list-types*) echo image/png;; *) echo 'lost connection' >&2; exit 1;; esac`;
    const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    await says(chat, 'wl-paste: lost connection');
  });

  test('that the program hangs', async () => {
    const chat = await withClipboard(
      [{ name: 'wl-paste', script: 'exec sleep 60' }],
      media.png,
      WAYLAND,
    );
    await chat.nvim.lua(`require('acp.chat')`);
    const reason = chat.nvim.lua(
      `return ({ require('acp.context').resolve('image', require('acp.chat').get('s1')) })[2]`,
    );
    expect(await reason).toBe('wl-paste took too long');
  });

  test('what to install', async () => {
    const wayland = await withClipboard([], media.png, WAYLAND);
    await wayland.nvim.lua(`vim.env.PATH = '/nowhere'`);
    await says(wayland, 'install wl-clipboard');
    const x11 = await withClipboard([], media.png, X11);
    await x11.nvim.lua(`vim.env.PATH = '/nowhere'`);
    await says(x11, 'install xclip');
    await says(await withClipboard([], media.png), 'there is no clipboard here');
  });

  test('that the agent takes none, before anything is attached', async () => {
    const script = lists('--list-types', 'image/png\\n');
    const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
    await chat.status({ state: 'idle' });
    await says(chat, 'Tester takes no images');
  });
});

test('images that no session needs any more go', async () => {
  const script = lists('--list-types', 'image/png\\n');
  const chat = await withClipboard([{ name: 'wl-paste', script }], media.png, WAYLAND);
  const folder = join(await chat.nvim.lua<string>(`return vim.fn.stdpath('state')`), 'acp/media');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const days = (count: number) => Date.now() / 1000 - count * 24 * 60 * 60;
  for (const [name, age] of [
    ['old.png', 91],
    ['new.png', 89],
  ] as const) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), days(age), days(age));
  }
  await add(chat);
  await only(chat);
  expect(existsSync(join(folder, 'old.png'))).toBe(false);
  expect(existsSync(join(folder, 'new.png'))).toBe(true);
});
