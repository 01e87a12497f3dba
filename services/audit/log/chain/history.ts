import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fingerprint, parseCheckpoint, whyNotSigned, type ChainCheckpoint } from './checkpoint.ts';

/** A checkpoint as a report shows it. */
export type KnownCheckpoint = {
  file: string;
  position: string;
  events: number;
  hash: string;
  createdAt: string;
  /** The fingerprint of the signing key. */
  signedWith: string;
  /** Why its signature is not valid; absent if it is. */
  problem?: string;
};

export function knownCheckpoint(
  file: string,
  checkpoint: ChainCheckpoint,
  trusted: KeyObject | undefined,
): KnownCheckpoint {
  const { position, events, hash, created_at: createdAt } = checkpoint;
  const problem = whyNotSigned(checkpoint, trusted);
  const summary = {
    file: basename(file),
    position,
    events,
    hash,
    createdAt,
    signedWith: signerFingerprint(checkpoint),
  };
  return { ...summary, ...(problem !== undefined && { problem }) };
}

function signerFingerprint({ public_key: key }: ChainCheckpoint): string {
  try {
    return fingerprint(createPublicKey(key));
  } catch {
    return '';
  }
}

/**
 * Reads a checkpoint's file. One that can't be read is listed with its problem: a gap in the
 * history is a finding.
 */
export function checkpointIn(file: string, trusted: KeyObject | undefined): KnownCheckpoint {
  try {
    return knownCheckpoint(file, parseCheckpoint(readFileSync(file, 'utf8')), trusted);
  } catch (error) {
    const nothing = { position: '', events: 0, hash: '', createdAt: '', signedWith: '' };
    return { file: basename(file), ...nothing, problem: (error as Error).message };
  }
}
