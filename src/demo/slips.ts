import { extname } from 'node:path';

/** A slip that can be found and mended without understanding the code. */
interface Slip {
  extensions: RegExp | null;
  pattern: RegExp;
  replacement: string;
  reason: string;
}

const JAVASCRIPT = /^\.[cm]?[jt]sx?$/;

const SLIPS: Slip[] = [
  {
    extensions: JAVASCRIPT,
    pattern: /(\bfor\s*\([^;]*;\s*\w+\s*)<=(\s*[\w.#$]+\.length\s*;)/g,
    replacement: '$1<$2',
    reason: 'The loop runs one past the end: an index goes up to `length - 1`.',
  },
  {
    extensions: JAVASCRIPT,
    pattern: /([^=!<>])==(?!=)(?!\s*null\b)/g,
    replacement: '$1===',
    reason: '`==` converts its operands before it compares them.',
  },
  {
    extensions: /^\.py$/,
    pattern: /==\s*None\b/g,
    replacement: 'is None',
    reason: '`None` is compared by identity.',
  },
  ...(
    [
      [/\b([Rr])ecieve/g, '$1eceive', 'receive'],
      [/\b([Ss])eperat/g, '$1eparat', 'separate'],
      [/\b([Oo])ccured\b/g, '$1ccurred', 'occurred'],
      [/\b([Tt])eh\b/g, '$1he', 'the'],
    ] as const
  ).map(([pattern, replacement, word]) => ({
    extensions: null,
    pattern,
    replacement,
    reason: `A spelling mistake: “${word}” is meant.`,
  })),
];

/** Text without the slips that were found, and why each was one. */
export function mend(path: string, text: string): { text: string; reasons: string[] } {
  const reasons: string[] = [];
  for (const { extensions, pattern, replacement, reason } of SLIPS) {
    if (extensions && !extensions.test(extname(path))) continue;
    const mended = text.replace(pattern, replacement);
    if (mended !== text) reasons.push(reason);
    text = mended;
  }
  return { text, reasons };
}

const COMMENTS: [RegExp, string, string][] = [
  [/^\.(lua|sql|hs)$/, '-- ', ''],
  [/^\.(py|sh|rb|toml|ya?ml)$/, '# ', ''],
  [/^\.(md|html|xml)$/, '<!-- ', ' -->'],
  [/^\.(c|h|cc|cpp|go|java|rs|[cm]?[jt]sx?)$/, '// ', ''],
];

/** The text with a line of comment at its end: an edit where there is nothing to mend. */
export function sign(path: string, text: string): string {
  const [, open, close] = COMMENTS.find(([pattern]) => pattern.test(extname(path))) ?? [
    null,
    '',
    '',
  ];
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${body}${open}The demo agent was here.${close}\n`;
}
