/** The input of a tool as lines for people: what an agent asks for must be seen, whatever its title says. */
import { oneLine, sanitize, unmask } from '../text';

/** The longest line of a question, in UTF-16 units. */
const LONGEST = 2000;

function clean(text: string, longest: number): string[] {
  const lines = unmask(sanitize(text)).replace(/\n$/, '').split('\n');
  return lines.map((line) => {
    const more = line.length - longest;
    return more > 0 ? `${line.slice(0, longest)} … ${more} more characters` : line;
  });
}

/** A value of JSON; indented under its name where it is a text of several lines. */
function valueLines(name: string, value: unknown, longest: number): string[] {
  const [first, ...rest] = clean(typeof value === 'string' ? value : prettyJson(value), longest);
  const key = oneLine(name);
  if (rest.length === 0 || typeof value !== 'string') return [`${key}: ${first}`, ...rest];
  return [`${key}:`, ...[first, ...rest].map((line) => `  ${line}`)];
}

/** A value as JSON of several lines; '' for none. */
export function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(nested too deeply to be shown)';
  }
}

/** The fields of an input, one after the other; texts of several lines as such. Nothing in them is hidden. */
export function inputLines(input: unknown, longest = LONGEST): string[] {
  if (input === undefined || input === null || input === '') return [];
  if (typeof input === 'string') return clean(input, longest);
  if (typeof input !== 'object' || Array.isArray(input)) return clean(prettyJson(input), longest);
  return Object.entries(input).flatMap(([name, value]) => valueLines(name, value, longest));
}
