import type { ToolContent } from '../session/model';
import { cappedText } from './cap';
import { object, objects, string, text, type Json } from './coerce';
import type { Content } from './events';

/** A `ContentBlock` of ACP v1 as the transcript shows it. Total: anything at all gives something. */
export function content(value: unknown): Content {
  const block = object(value);
  const type = string(block?.type);
  if (!block || type === undefined) return unknownContent(value);
  switch (type) {
    case 'text':
      return { type: 'text', text: string(block.text) ?? '' };
    case 'image':
    case 'audio': {
      const mime = text(block.mimeType) ?? type;
      const bytes = Math.floor((string(block.data)?.length ?? 0) * 0.75);
      const where = text(block.uri);
      return known(`[${type} ${mime}, ${size(bytes)}${where ? `, ${where}` : ''}]`, { type, mime });
    }
    case 'resource_link': {
      const uri = text(block.uri) ?? '';
      const name = text(block.title) ?? text(block.name) ?? uri;
      return known(name === uri ? `[${uri}]` : `[${name}] ${uri}`, block);
    }
    case 'resource': {
      const resource = object(block.resource) ?? {};
      const body = string(resource.text);
      const uri = text(resource.uri) ?? 'resource';
      return body === undefined ? known(`[${uri}]`, { uri }) : { type: 'text', text: body };
    }
    default:
      return unknownContent(value);
  }
}

/** The items of a tool call's `content`. */
export function toolContent(value: unknown): ToolContent[] {
  return objects(value).map(toolItem);
}

function toolItem(item: Json): ToolContent {
  switch (string(item.type)) {
    case 'content': {
      return toolText(item.content);
    }
    case 'diff':
      return {
        type: 'diff',
        path: string(item.path) ?? '',
        oldText: string(item.oldText) ?? null,
        newText: string(item.newText) ?? '',
      };
    case 'terminal':
      return { type: 'terminal', terminalId: string(item.terminalId) ?? '' };
    default: {
      // Some agents send a bare content block where the item belongs.
      return toolText(item);
    }
  }
}

function toolText(value: unknown): ToolContent {
  const inner = content(value);
  return inner.type === 'text'
    ? { type: 'text', text: cappedText(inner.text) }
    : { type: 'other', label: inner.label };
}

function known(label: string, payload: unknown): Content {
  return { type: 'other', label, known: true, payload };
}

function unknownContent(payload: unknown): Content {
  const type = string(object(payload)?.type) ?? typeof payload;
  return { type: 'other', label: `content of unknown type ‘${type}’`, known: false, payload };
}

/** A number of bytes for people. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
