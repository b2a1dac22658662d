/**
 * Texts as lines that keep their line ends: what differs in CRLF or in a missing final newline is an ordinary difference
 * of lines, and nothing is lost on the way there and back.
 */

/** The lines of `text`, each with its `\n`; only the last one may lack it. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from);
    const to = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(from, to));
    from = to;
  }
  return lines;
}

/** Lines as a text. One that lost its place at the end, and has no line end, gets one of `newline`. */
export function joinLines(lines: readonly string[], newline = '\n'): string {
  const last = lines.length - 1;
  return lines
    .map((line, i) => (i < last && !line.endsWith('\n') ? line + newline : line))
    .join('');
}

/** How the lines of `text` end: as its first one does. */
export function newlineOf(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** The line end of a line: `\n`, `\r\n`, or none. */
export function endOf(line: string): '' | '\n' | '\r\n' {
  if (!line.endsWith('\n')) return '';
  return line.endsWith('\r\n') ? '\r\n' : '\n';
}

/** A line without its line end. */
export function bare(line: string): string {
  return line.slice(0, line.length - endOf(line).length);
}

/** Adds lines to others: spreading them as arguments would end at some hundred thousand. */
export function append(lines: string[], more: readonly string[]): void {
  for (const line of more) lines.push(line);
}
