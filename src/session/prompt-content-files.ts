/** Attached files: the text of their buffers or of the disk, links, images and sounds. */
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { size } from '../acp/content';
import { isMissing, reasonOf } from '../client/faults';
import { realPath } from '../client/roots';
import { textOnDisk } from '../client/standing';
import { decode } from '../diff/encoding';
import type { MediaAttachment } from '../nvim/protocol';
import { byteLength, oneLine } from '../text';
import { within } from './prompt';
import { textContent, type ContentOptions, type Part } from './prompt-content';

/** The largest image or sound that is sent: as text it is a third larger, and agents read a message whole. */
const MOST_MEDIA_MB = 20;

/** Types that agents may want to know of a file before they open it. */
const TYPES: Record<string, string> = {
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/** A file that is named in a prompt: its text where the agent takes it and it is not too much, else a link to it. */
export async function fileContent(path: string, options: ContentOptions): Promise<Part> {
  const name = oneLine(within(path, options.cwd));
  try {
    const real = await realPath(path);
    const buffer = await options.editor.request('buffer.read', { path: real });
    const stats = await stat(real).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    // With NUL in it, it is the file's bytes and no text of anybody's.
    if (buffer && !buffer.text.includes('\0')) {
      return await bufferContent({ path, real, name, text: buffer.text, stats }, options);
    }
    if (!stats) return { unsent: `${name}: there is no such file` };
    if (stats.isDirectory()) return { blocks: [link(path, stats)] };
    if (!stats.isFile()) return { unsent: `${name} is not a regular file` };
    return await diskContent({ path, real, name, stats }, options);
  } catch (error) {
    return { unsent: `${name}: ${reasonOf(error)}` };
  }
}

/** A loaded buffer: what it holds is what counts, saved or not. */
async function bufferContent(
  file: { path: string; real: string; name: string; text: string; stats: Stats | null },
  options: ContentOptions,
): Promise<Part> {
  const { path, real, name, text, stats } = file;
  const fits = byteLength(text) <= options.embedBytes;
  if (options.takes.embedded && fits) return embedded(path, text, options);
  const unsaved = text !== (stats && (await textOnDisk(real)));
  if (unsaved && fits) {
    const quoted = textContent({ type: 'text', path, text }, options);
    return { blocks: stats ? quoted : quoted.slice(0, 1) };
  }
  const tooLarge = `${name} has ${size(byteLength(text))}`;
  if (!stats) return { unsent: `${tooLarge}, and is not saved yet` };
  const blocks = [link(path, stats)];
  if (unsaved)
    return { blocks, unsent: `${tooLarge}: a link to it was sent, without what is not saved` };
  return options.takes.embedded
    ? { blocks, unsent: `${tooLarge}: a link to it was sent` }
    : { blocks };
}

async function diskContent(
  { path, real, name, stats }: { path: string; real: string; name: string; stats: Stats },
  options: ContentOptions,
): Promise<Part> {
  const blocks = [link(path, stats)];
  if (!options.takes.embedded) return { blocks };
  if (stats.size > options.embedBytes) {
    return { blocks, unsent: `${name} has ${size(stats.size)}: a link to it was sent` };
  }
  const bytes = await readUpTo(real, options.embedBytes);
  if (!bytes) {
    const most = size(options.embedBytes);
    return { blocks, unsent: `${name} has more than ${most}: a link to it was sent` };
  }
  const decoded = decode(bytes);
  return decoded
    ? embedded(path, decoded.text, options)
    : { blocks, unsent: `${name} is no text: a link to it was sent` };
}

/** A file may grow, or not know its size: null where it holds more than `most` bytes. */
async function readUpTo(path: string, most: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  const stream: AsyncIterable<Buffer> = createReadStream(path, { end: most });
  for await (const part of stream) parts.push(part);
  const bytes = Buffer.concat(parts);
  return bytes.length > most ? null : bytes;
}

function embedded(path: string, text: string, options: ContentOptions): Part {
  return { blocks: textContent({ type: 'text', path, text }, options) };
}

function link(path: string, stats: Stats): ContentBlock {
  const uri = pathToFileURL(path).href;
  if (stats.isDirectory()) {
    const folder = uri.endsWith('/') ? uri : `${uri}/`;
    return { type: 'resource_link', name: `${basename(path)}/`, uri: folder };
  }
  const mimeType = TYPES[extname(path).toLowerCase()];
  return {
    type: 'resource_link',
    name: basename(path),
    uri,
    size: stats.size,
    ...(mimeType !== undefined && { mimeType }),
  };
}

/** An image or sound, for agents that take it: without it the prompt would be another. */
export async function mediaContent(
  { path, mime, name }: MediaAttachment,
  { takes, agent }: ContentOptions,
): Promise<Part> {
  const what = oneLine(name);
  const [kind] = mime.split('/');
  const known = kind === 'image' || kind === 'audio' ? kind : null;
  if (!known || !takes[known]) {
    const kinds = known ? { image: 'images', audio: 'sounds' }[known] : oneLine(mime);
    return { refused: `${agent} takes no ${kinds}: ${what}` };
  }
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return { refused: `${what} is not a regular file` };
    if (stats.size > MOST_MEDIA_MB * 1024 * 1024) {
      return {
        refused: `${what} has ${size(stats.size)}, and at most ${MOST_MEDIA_MB} MB can be sent`,
      };
    }
    const bytes = await readUpTo(path, MOST_MEDIA_MB * 1024 * 1024);
    if (!bytes) return { refused: `${what} has more than ${MOST_MEDIA_MB} MB` };
    const data = bytes.toString('base64');
    return known === 'image'
      ? { blocks: [{ type: 'image', data, mimeType: mime, uri: pathToFileURL(path).href }] }
      : { blocks: [{ type: 'audio', data, mimeType: mime }] };
  } catch (error) {
    return {
      refused: isMissing(error) ? `${what} is not there any more` : `${what}: ${reasonOf(error)}`,
    };
  }
}
