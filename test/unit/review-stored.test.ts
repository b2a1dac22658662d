/** Whose the stored reviews of a folder are. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Editor } from '../../src/nvim/editor';
import { openReview, storedReviews } from '../../src/review/stored';
import type { Review } from '../../src/review/review';
import { tempDir } from '../harness';

const editor = {
  request: (method: string) => Promise.resolve(method === 'buffers.unsaved' ? [] : null),
} as unknown as Editor;

async function reviewed(): Promise<{ cwd: string; stateDir: string; review: Review }> {
  const [cwd, stateDir] = [tempDir(), tempDir()];
  const onFault = (where: string, error: unknown) => {
    throw new Error(where, { cause: error });
  };
  const about = { roots: [cwd], cwd, agent: 'agent', session: 's1' };
  const review = await openReview({ ...about, stateDir, editor, onFault });
  await review.turnStarted('A turn');
  writeFileSync(join(cwd, 'new.txt'), 'new\n');
  await review.turnEnded();
  return { cwd, stateDir, review };
}

test('the latest comes first, and that of another process is taken while that lives', async () => {
  const { cwd, stateDir, review } = await reviewed();
  expect(await storedReviews(stateDir, cwd)).toEqual([{ file: review.file, taken: false }]);
  const other = join(
    dirname(review.file),
    basename(review.file).replace(/^\d+-\d+/, `9${'0'.repeat(14)}-${process.ppid}`),
  );
  copyFileSync(review.file, other);
  expect(await storedReviews(stateDir, cwd)).toEqual([
    { file: other, taken: true },
    { file: review.file, taken: false },
  ]);
});
