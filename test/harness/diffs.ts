import { fileDiff } from '../../src/diff/hunks';
import type { FileDiff } from '../../src/diff/file-diff';
import { normalise } from '../../src/diff/text';
import { piecesByFile, type DiffContent } from '../../src/proposal/pieces';
import { place } from '../../src/proposal/place';

/** The changes that diffs of an agent make to files, as questions show them. */
export async function fileDiffs(
  contents: DiffContent[],
  options: { cwd: string; readFile: (path: string) => Promise<string | null> },
): Promise<FileDiff[]> {
  return Promise.all(
    [...piecesByFile(contents, options.cwd)].map(async ([file, pieces]) => {
      const text = await options.readFile(file);
      return fileDiff(file, place(text === null ? null : normalise(text), pieces), options);
    }),
  );
}
