import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fingerprint, parseCheckpoint, whyNotSigned, type Checkpoint } from './checkpoint.ts';

/** A checkpoint as a report tells of it. */
export type KnownCheckpoint = {
  file: string;
  position: string;
  events: number;
  hash: string;
  createdAt: string;
  /** The fingerprint of its key. */
  signedWith: string;
  /** Why it is not what its signer made; absent where it is. */
  problem?: string;
};

export function knownCheckpoint(
  file: string,
  checkpoint: Checkpoint,
  trusted: KeyObject | undefined,
): KnownCheckpoint {
  const { position, events, hash, created_at: createdAt } = checkpoint;
  const problem = whyNotSigned(checkpoint, trusted);
  const told = {
    file: basename(file),
    position,
    events,
    hash,
    createdAt,
    signedWith: signerOf(checkpoint),
  };
  return { ...told, ...(problem !== undefined && { problem }) };
}

function signerOf({ public_key: key }: Checkpoint): string {
  try {
    return fingerprint(createPublicKey(key));
  } catch {
    return '';
  }
}

/**
 * A checkpoint from its file. One that can't be read is returned as such: a gap in the history is a
 * finding.
 */
export function checkpointIn(file: string, trusted: KeyObject | undefined): KnownCheckpoint {
  try {
    return knownCheckpoint(file, parseCheckpoint(readFileSync(file, 'utf8')), trusted);
  } catch (error) {
    const nothing = { position: '', events: 0, hash: '', createdAt: '', signedWith: '' };
    return { file: basename(file), ...nothing, problem: (error as Error).message };
  }
}
