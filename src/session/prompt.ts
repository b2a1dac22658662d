/** How what the user sends stands in the transcript. */
import { statSync, type Stats } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { size } from '../acp/content';
import type { Attachment } from '../nvim/protocol';
import type { UserBlock } from './model';

/** One line for each attachment: its name, and which lines of it or how large it is. */
export function attachmentLabels(attachments: Attachment[], cwd: string): UserBlock['attachments'] {
  return attachments.map((attachment) => ({
    label: label(attachment, cwd),
    ...('path' in attachment && attachment.path !== undefined && { path: attachment.path }),
    ...(attachment.type === 'text' &&
      attachment.startLine !== undefined && { line: attachment.startLine }),
  }));
}

export function label(attachment: Attachment, cwd: string): string {
  switch (attachment.type) {
    case 'conversation':
      return 'conversation';
    case 'media': {
      const stats = statsOf(attachment.path);
      return stats ? `${attachment.name} (${size(stats.size)})` : attachment.name;
    }
    case 'file': {
      const name = within(attachment.path, cwd);
      return statsOf(attachment.path)?.isDirectory() && !name.endsWith('/') ? `${name}/` : name;
    }
    case 'text': {
      const { path, name, startLine, endLine = startLine } = attachment;
      const what = path === undefined ? (name ?? '[No Name]') : within(path, cwd);
      if (startLine === undefined) return what;
      return endLine === startLine ? `${what}:${startLine}` : `${what}:${startLine}-${endLine}`;
    }
  }
}

/** `path` relative to `cwd` where it lies below it. */
export function within(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
    ? below
    : path;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Why it can't be had is told when it is to be sent.
    return undefined;
  }
}
