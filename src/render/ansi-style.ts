/** The looks of text in the output of a command. */

/** A style is a number: 0 to 16 the colour (0: none), then a bit for each attribute. */
const ATTRIBUTES = [
  { on: 1, off: 22, bit: 32, group: 'AcpAnsiBold' },
  { on: 2, off: 22, bit: 64, group: 'AcpAnsiDim' },
  { on: 3, off: 23, bit: 128, group: 'AcpAnsiItalic' },
  { on: 4, off: 24, bit: 256, group: 'AcpAnsiUnderline' },
] as const;
const COLOURS = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

/** The highlight groups of a style. */
export function groupsOf(style: number): string[] {
  const colour = style & 31;
  const groups = ATTRIBUTES.filter(({ bit }) => style & bit).map(({ group }) => group as string);
  if (colour === 0) groups.unshift('AcpToolOutput');
  else groups.unshift(`AcpAnsi${colour > 8 ? 'Bright' : ''}${COLOURS[(colour - 1) % 8]}`);
  return groups;
}

/** The nearest of the 16 colours, 1-based. */
function nearest(red: number, green: number, blue: number): number {
  const max = Math.max(red, green, blue);
  const min = Math.min(red, green, blue);
  if (max - min < 48) return max < 48 ? 1 : max < 140 ? 9 : max < 220 ? 8 : 16;
  const middle = min + 0.6 * (max - min);
  const hue = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0);
  return 1 + hue + (max > 210 ? 8 : 0);
}

function indexed(index: number): number {
  if (index < 16) return index + 1;
  if (index >= 232) return nearest(...grey(8 + 10 * (index - 232)));
  const cube = index - 16;
  const level = (n: number): number => (n === 0 ? 0 : 55 + 40 * n);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function grey(level: number): [number, number, number] {
  return [level, level, level];
}

/** Applies the parameters of a "select graphic rendition" sequence to a style. */
export function rendition(style: number, parameters: string): number {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 0) style = 0;
    else if (code === 39) style &= ~31;
    else if (code >= 30 && code <= 37) style = (style & ~31) | (code - 29);
    else if (code >= 90 && code <= 97) style = (style & ~31) | (code - 81);
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes, i);
      if (code === 38 && colour > 0) style = (style & ~31) | colour;
      i += used;
    } else {
      for (const { on, off, bit } of ATTRIBUTES) {
        if (code === on) style |= bit;
        else if (code === off) style &= ~bit;
      }
    }
  }
  return style;
}

/** The colour of `38;5;N` or `38;2;R;G;B`, and how many parameters belong to it. */
function extended(codes: number[], at: number): [colour: number, used: number] {
  const [mode, a = 0, b = 0, c = 0] = codes.slice(at + 1, at + 5);
  if (mode === 5) return [a >= 0 && a < 256 ? indexed(a) : 0, 2];
  return mode === 2 ? [nearest(a, b, c), 4] : [0, 0];
}
