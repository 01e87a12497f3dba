import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCheckpoint } from './checkpoint.ts';

/** Checkpoints by the time at which they were made, so that the order of their names is theirs. */
const name = /^checkpoint-\d{8}T\d{9}Z\.json$/;

/** The checkpoints in a folder, the oldest first. @throws when it can't be read */
export const checkpointsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => name.test(file))
    .toSorted()
    .map((file) => join(folder, file));

/**
 * The checkpoint in a folder that tells of most of the log, and the file for the one that comes
 * after it: what an audit that runs every night verifies and writes. @throws when the folder can't
 * be read
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
 * By what they say, which is signed: an old one that somebody gave a newer name vouches for no more
 * than before. The newest that can't be read is taken all the same, so that it is told of.
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
