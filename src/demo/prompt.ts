import type { ContentBlock } from '@agentclientprotocol/sdk';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Something that came with a prompt. */
export interface Received {
  /** One line that says what it is. */
  label: string;
  /** Absolute path of a `file:` URI. */
  path: string | null;
}

export interface Prompt {
  text: string;
  attachments: Received[];
}

/** Takes a prompt apart: what was typed, and what was attached. */
export function readPrompt(blocks: ContentBlock[]): Prompt {
  const text: string[] = [];
  const attachments: Received[] = [];
  for (const block of blocks) {
    if (block.type === 'text') text.push(block.text);
    else attachments.push(received(block));
  }
  return { text: text.join('\n').trim(), attachments };
}

function received(block: Exclude<ContentBlock, { type: 'text' }>): Received {
  switch (block.type) {
    case 'resource': {
      const { resource } = block;
      const content =
        'text' in resource
          ? `embedded text, ${count(resource.text.split('\n').length, 'line')}`
          : `embedded data, ${bytes(resource.blob)}`;
      return { label: `${name(resource.uri)} (${content})`, path: filePath(resource.uri) };
    }
    case 'resource_link':
      return { label: `${block.name || name(block.uri)} (link)`, path: filePath(block.uri) };
    case 'image':
    case 'audio':
      return { label: `${block.type}, ${block.mimeType}, ${bytes(block.data)}`, path: null };
  }
}

function filePath(uri: string): string | null {
  try {
    const url = new URL(uri);
    url.hash = '';
    return url.protocol === 'file:' ? fileURLToPath(url) : null;
  } catch {
    return null;
  }
}

function name(uri: string): string {
  const path = filePath(uri);
  const fragment = /#(.+)$/.exec(uri)?.[1];
  return (path ? basename(path) : uri.replace(/#.*$/, '')) + (fragment ? ` ${fragment}` : '');
}

function bytes(base64: string): string {
  return count(Math.floor((base64.replace(/=+$/, '').length * 3) / 4), 'byte');
}

export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** Splits a command line into words; quotes keep words together, nothing else is special. */
export function words(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), (m) => m[1] ?? m[2] ?? m[3]!);
}
