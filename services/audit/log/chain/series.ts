import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCheckpoint } from './checkpoint.ts';

/** Named by the time at which they were made, so that names sort in that order. */
const name = /^checkpoint-\d{8}T\d{9}Z\.json$/;

/** The checkpoint files in a folder, oldest first. @throws when it can't be read */
export const checkpointsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => name.test(file))
    .toSorted()
    .map((file) => join(folder, file));

/**
 * The checkpoint in a folder that covers most of the log, and the file name for the next one: a
 * nightly audit verifies the first and writes the second.
 * @throws when the folder can't be read
 */
export function seriesIn(
  folder: string,
  now: Date,
): { sinceFile?: string; checkpointFile: string } {
  const newest = furthest(checkpointsIn(folder));
  const time = now.toISOString().replaceAll(/[-:.]/g, '');
  return {
    ...(newest !== undefined && { sinceFile: newest }),
    checkpointFile: join(folder, `checkpoint-${time}.json`),
  };
}

/**
 * Chosen by their signed content: an old checkpoint under a newer name proves no more than before.
 * The newest file is chosen if it can't be read, so that the problem is reported.
 */
function furthest(files: readonly string[]): string | undefined {
  const places = files.map((file) => ({ file, position: positionIn(file) }));
  const newest = places.at(-1);
  if (newest?.position === undefined) return newest?.file;
  return places.toSorted((left, right) => (left.position ?? -1) - (right.position ?? -1)).at(-1)
    ?.file;
}

function positionIn(file: string): number | undefined {
  try {
    return Number(parseCheckpoint(readFileSync(file, 'utf8')).position);
  } catch {
    return undefined;
  }
}
