/**
 * What a tool gave out is kept up to a length, its beginning and its end: a session may run for days, and nobody reads
 * a megabyte. What is asked for leave, and diffs, are kept whole.
 */
const MOST = 256 * 1024;

export function cappedText(text: string, most = MOST): string {
  if (text.length <= most) return text;
  // Plain ASCII: one other character would double the memory of all of it.
  const gap = `\n[${Math.ceil((text.length - most) / 1024)} KB not kept]\n`;
  const ends = text.slice(0, most / 2) + gap + text.slice(-most / 2);
  // A slice would keep all of the text in memory.
  return Buffer.from(ends).toString();
}

/** Caps all texts in what was parsed from JSON, in place. */
export function capped(value: unknown, most = MOST): unknown {
  const root = { value };
  const open: Record<string, unknown>[] = [root];
  // No recursion: nothing limits how deep an agent nests.
  for (let item = open.pop(); item; item = open.pop()) {
    for (const [key, inner] of Object.entries(item)) {
      if (typeof inner === 'string') item[key] = cappedText(inner, most);
      else if (typeof inner === 'object' && inner !== null) {
        open.push(inner as Record<string, unknown>);
      }
    }
  }
  return root.value;
}
