/** What the user sends → ACP content blocks, and how it stands in the transcript. */
import { basename, isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Attachment, TextAttachment } from '../nvim/protocol';
import type { UserBlock } from './model';

/** The content of a `session/prompt`. `embedded`: the agent takes `resource` blocks. */
export function promptContent(
  text: string,
  attachments: Attachment[],
  { embedded, cwd }: { embedded: boolean; cwd: string },
): ContentBlock[] {
  const context = attachments.flatMap((attachment) => attached(attachment, embedded, cwd));
  return text === '' && context.length > 0 ? context : [{ type: 'text', text }, ...context];
}

function attached(attachment: Attachment, embedded: boolean, cwd: string): ContentBlock[] {
  if (attachment.type === 'conversation') return [];
  if (attachment.type !== 'text') {
    const { href } = pathToFileURL(attachment.path);
    return [{ type: 'resource_link', name: basename(attachment.path), uri: href }];
  }
  const { path } = attachment;
  const uri = path === undefined ? undefined : fileUri(attachment, path);
  if (embedded) {
    return [
      {
        type: 'resource',
        resource: { uri: uri ?? 'untitled:buffer', text: attachment.text, mimeType: 'text/plain' },
      },
    ];
  }
  const fence = fenceFor(attachment.text);
  const body = `${label(attachment, cwd)}:\n${fence}${attachment.filetype ?? ''}\n${attachment.text.replace(/\n$/, '')}\n${fence}`;
  const quoted: ContentBlock = { type: 'text', text: body };
  return uri === undefined
    ? [quoted]
    : // Agents read a link's path as it stands: no line fragment.
      [quoted, { type: 'resource_link', name: basename(path!), uri: pathToFileURL(path!).href }];
}

/** How attachments stand under the prompt. */
export function attachmentLabels(attachments: Attachment[], cwd: string): UserBlock['attachments'] {
  return attachments.map((attachment) => ({
    label: label(attachment, cwd),
    ...('path' in attachment && attachment.path !== undefined ? { path: attachment.path } : {}),
    ...('startLine' in attachment && attachment.startLine !== undefined
      ? { line: attachment.startLine }
      : {}),
  }));
}

function label(attachment: Attachment, cwd: string): string {
  if (attachment.type === 'conversation') return 'conversation';
  const name = attachment.path === undefined ? '[No Name]' : within(attachment.path, cwd);
  if (attachment.type !== 'text' || attachment.startLine === undefined) return name;
  const { startLine, endLine } = attachment;
  return endLine === undefined || endLine === startLine
    ? `${name}:${startLine}`
    : `${name}:${startLine}-${endLine}`;
}

/** `path` relative to `cwd` where it lies below it. */
function within(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
    ? below
    : path;
}

function fileUri(attachment: TextAttachment, path: string): string {
  const url = pathToFileURL(path);
  if (attachment.startLine !== undefined) {
    const { startLine, endLine = startLine } = attachment;
    url.hash = `L${startLine}${endLine === startLine ? '' : `-L${endLine}`}`;
  }
  return url.href;
}

/** A fence longer than any in the text. */
function fenceFor(text: string): string {
  let longest = 2;
  for (const match of text.matchAll(/^ {0,3}(`{3,})/gm)) {
    longest = Math.max(longest, match[1]!.length);
  }
  return '`'.repeat(longest + 1);
}
