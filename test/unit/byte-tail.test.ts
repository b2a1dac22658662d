import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteTail } from '../../src/client/byte-tail';

/** The last whole characters of `text` that fit in `limit` bytes. */
function expected(text: string, limit: number): string {
  const characters = [...text];
  const total = Buffer.byteLength(text);
  for (let from = 0; from <= characters.length; from++) {
    const rest = characters.slice(from).join('');
    if (Buffer.byteLength(rest) <= Math.min(limit, total)) return rest;
  }
  return '';
}

test('keeps the last whole characters, however the text was cut into pushes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n') });
  fc.assert(
    fc.property(fc.array(text), fc.integer({ min: 0, max: 40 }), (pushes, limit) => {
      const tail = new ByteTail(limit);
      for (const push of pushes) tail.push(Buffer.from(push));
      const all = pushes.join('');
      expect(tail.toString()).toBe(expected(all, limit));
      expect(tail.truncated).toBe(Buffer.byteLength(all) > limit);
    }),
  );
});

test('one push per byte is no slower in the end than at the start', () => {
  const tail = new ByteTail(1024 * 1024);
  const byte = Buffer.from('x');
  const start = performance.now();
  for (let i = 0; i < 3_000_000; i++) tail.push(byte);
  expect(performance.now() - start).toBeLessThan(5000);
  expect(tail.toString()).toHaveLength(1024 * 1024);
});
