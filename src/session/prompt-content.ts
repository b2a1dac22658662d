/** What the user sends → the content of a `session/prompt`, as much of it as the agent takes. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { AgentInfo } from '../acp/capabilities';
import type { Editor } from '../nvim/editor';
import type { Attachment, TextAttachment } from '../nvim/protocol';
import { label } from './prompt';
import { fileContent, mediaContent } from './prompt-content-files';

export interface ContentOptions {
  cwd: string;
  editor: Editor;
  /** The agent's name, for people. */
  agent: string;
  takes: AgentInfo['takes'];
  /** The most of one file that is embedded, in bytes. */
  embedBytes: number;
  /** What was said until now, as Markdown. */
  conversation: () => string;
}

/** What becomes of one attachment, or why it is not sent: of `refused`, nothing of the prompt is. */
export type Part =
  | { blocks: ContentBlock[]; unsent?: string }
  | { unsent: string; blocks?: undefined }
  | { refused: string };

export type PromptContent =
  /** `unsent`: what is not in it, and why, in words for people. */
  { blocks: ContentBlock[]; unsent: string[] } | { refused: string[] };

/** Never rejects: what can't be had is told. */
export async function promptContent(
  text: string,
  attachments: Attachment[],
  options: ContentOptions,
): Promise<PromptContent> {
  const blocks: ContentBlock[] = [];
  const unsent: string[] = [];
  const refused: string[] = [];
  for (const attachment of attachments) {
    const part = await partOf(attachment, options);
    if ('refused' in part) {
      refused.push(part.refused);
      continue;
    }
    blocks.push(...(part.blocks ?? []));
    if (part.unsent !== undefined) unsent.push(part.unsent);
  }
  if (text !== '') blocks.unshift({ type: 'text', text });
  if (refused.length > 0) return { refused };
  return blocks.length > 0 ? { blocks, unsent } : { refused: unsent };
}

function partOf(attachment: Attachment, options: ContentOptions): Part | Promise<Part> {
  switch (attachment.type) {
    case 'text':
      return { blocks: textContent(attachment, options) };
    case 'file':
      return fileContent(attachment.path, options);
    case 'media':
      return mediaContent(attachment, options);
    case 'conversation': {
      const text = options.conversation();
      if (text === '') return { unsent: 'there is no conversation yet' };
      const said = { type: 'text', name: 'conversation', text, filetype: 'markdown' } as const;
      return { blocks: textContent(said, options) };
    }
  }
}

/** A text whole: embedded, or for agents that take no such thing as a part of the prompt. */
export function textContent(
  attachment: TextAttachment,
  { takes, cwd }: Pick<ContentOptions, 'takes' | 'cwd'>,
): ContentBlock[] {
  const { path, text } = attachment;
  if (takes.embedded) {
    const resource = { uri: uriOf(attachment), text, mimeType: 'text/plain' };
    return [{ type: 'resource', resource }];
  }
  const fence = fenceFor(text);
  const body = `${label(attachment, cwd)}:\n${fence}${attachment.filetype ?? ''}\n${text.replace(/\n$/, '')}\n${fence}`;
  const quoted: ContentBlock = { type: 'text', text: body };
  // Agents read a link's path as it stands: no line fragment.
  return path === undefined
    ? [quoted]
    : [quoted, { type: 'resource_link', name: basename(path), uri: pathToFileURL(path).href }];
}

function uriOf({ path, name = 'buffer', startLine, endLine = startLine }: TextAttachment): string {
  if (path === undefined) return `untitled:${encodeURIComponent(name)}`;
  const url = pathToFileURL(path);
  if (startLine !== undefined) {
    url.hash = `L${startLine}${endLine === startLine ? '' : `-L${endLine}`}`;
  }
  return url.href;
}

/** A fence longer than any in the text. */
export function fenceFor(text: string): string {
  let longest = 2;
  for (const match of text.matchAll(/^ {0,3}(`{3,})/gm)) {
    longest = Math.max(longest, match[1]!.length);
  }
  return '`'.repeat(longest + 1);
}
