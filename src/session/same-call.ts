/** Some agents ask about a call under an id of its own: which call that is, only what they say of it tells. */
import { isDeepStrictEqual } from 'node:util';
import { object } from '../acp/coerce';
import type { ToolCallPatch } from '../acp/events';
import type { ToolBlock } from './model';

/**
 * Whether both say the same: title, kind, and what the tool was called with, of which one may tell more. Without a title or an
 * input there is nothing to know a call by.
 */
export function isSameCall(
  { title = '', kind = '', rawInput }: Omit<ToolCallPatch, 'id'>,
  tool: ToolBlock,
): boolean {
  if (title === '' || title !== tool.title || kind !== tool.toolKind) return false;
  const one = object(rawInput);
  const other = object(tool.rawInput);
  if (!one || !other) return false;
  const shared = Object.keys(one).filter((name) => Object.hasOwn(other, name));
  const fewer = Math.min(Object.keys(one).length, Object.keys(other).length);
  return (
    shared.length > 0 &&
    shared.length === fewer &&
    shared.every((name) => isDeepStrictEqual(one[name], other[name]))
  );
}
