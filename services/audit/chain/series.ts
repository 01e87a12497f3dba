import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Checkpoints by the time at which they were made, so that the order of their names is theirs. */
const name = /^checkpoint-\d{8}T\d{9}Z\.json$/;

/** The checkpoints in a folder, the oldest first. @throws when it can't be read */
export const checkpointsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => name.test(file))
    .toSorted()
    .map((file) => join(folder, file));

/**
 * The newest checkpoint in a folder, and the file for the one that comes after it: what an audit
 * that runs every night verifies and writes. @throws when the folder can't be read
 */
export function seriesIn(folder: string, now: Date): { sinceFile?: string; checkpointFile: string } {
  const newest = checkpointsIn(folder).at(-1);
  const time = now.toISOString().replaceAll(/[-:.]/g, '');
  return {
    ...(newest !== undefined && { sinceFile: newest }),
    checkpointFile: join(folder, `checkpoint-${time}.json`),
  };
}
