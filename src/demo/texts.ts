export const MARKDOWN = `# Markdown

Text with **bold**, *italic*, ~~struck~~ words, \`inline code\` and a [link](https://agentclientprotocol.com).
Letters of all kinds: Ünïcödé, 漢字, עברית, 🙂.

## Lists

- one item
- another, with a \`path/to/file.txt:12\`
  - and one inside
1. first
2. second
- [x] done
- [ ] not yet

> A quotation, which may run over
> several lines.

## A table

| Kind     | Example          | Drawn as        |
| -------- | ---------------- | --------------- |
| read     | \`src/basket.js\`  | one line        |
| edit     | a diff           | a card          |
| execute  | \`node --test\`    | its output      |

## Code

\`\`\`lua
local function greet(name)
  return ('Hello, %s!'):format(name or 'world')
end
\`\`\`

\`\`\`typescript
export async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
\`\`\`

\`\`\`python
def fib(n: int) -> int:
    """The n-th Fibonacci number."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
\`\`\`

\`\`\`diff
- const total = items.length + 1;
+ const total = items.length;
\`\`\`

---

That was all of it.
`;

export const THOUGHT = `The user wants to see what thinking looks like. There is no model behind me, so nothing is really
thought here: these words stand in the script. A client may show them while they come, and fold them when they end.
`;

/** That many pieces of Markdown: sentences, headings and fences. */
export function* pieces(number: number): Generator<string> {
  for (let n = 1; n <= number; n++) {
    yield n % 12 === 0
      ? `\n\`\`\`lua\nlocal part_${n} = { index = ${n}, name = 'part ${n}' }\n\`\`\`\n\n`
      : n % 5 === 0
        ? `\n\n## Part ${n}\n\n- **item ${n}** in \`file_${n}.lua\`\n`
        : `Sentence ${n} says a little, *softly*, and goes on. `;
  }
}
