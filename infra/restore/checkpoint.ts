import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BackupDamage, readSegment } from '#infra/backup/segment.ts';
import { readSegments, segmentName, type BackupStore } from '#infra/backup/segments.ts';
import {
  fingerprint,
  parseCheckpoint,
  whyNotSigned,
  type ChainCheckpoint,
} from '#services/audit/log/chain/checkpoint.ts';
import { trustedKey } from '#services/audit/log/chain/keys.ts';
import { createChain } from '#shared/application/log/chain.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import type { RestoreArguments } from './arguments.ts';
import type { VerifiedBackup } from './verify.ts';

/** What a copy lacks of what a signed checkpoint of the log covers. */
type CheckpointComparison = {
  /** Events that the checkpoint covers and the copy does not have. */
  lacking: number;
  detail: string;
};

/** A checkpoint whose signature is valid. */
type NamedCheckpoint = {
  checkpoint: ChainCheckpoint;
  /** The fingerprint of its key, if only the checkpoint itself has that: anyone can make one. */
  ownKey: string | undefined;
};

/**
 * Reads the checkpoint that the command line names. Its signature must be by the named key, else by
 * that of DATA_DIR, where there is one.
 * @throws a one-line Error if it can't be used
 */
export function readNamedCheckpoint({
  checkpoint: file,
  publicKey: publicKeyFile,
}: Pick<RestoreArguments, 'checkpoint' | 'publicKey'>): NamedCheckpoint | undefined {
  if (file === undefined) return undefined;
  const { DATA_DIR: dataDir, AUDIT_SIGNING_KEY: signingKeyFile } = loadConfig([
    'DATA_DIR',
    'AUDIT_SIGNING_KEY',
  ]);
  const trusted = trustedKey({ publicKeyFile, signingKeyFile, dataDir });
  let checkpoint: ChainCheckpoint;
  try {
    checkpoint = parseCheckpoint(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} can't be used: ${errorMessage(error)}`, { cause: error });
  }
  const problem = whyNotSigned(checkpoint, trusted);
  if (problem !== undefined) throw new Error(`${file} can't be used: ${problem}`);
  const ownKey = trusted ? undefined : fingerprint(createPublicKey(checkpoint.public_key));
  return { checkpoint, ownKey };
}

/** @throws BackupDamage if the copy has other events than the checkpoint covers */
export async function compareWithCheckpoint(
  store: BackupStore,
  { segments, ends }: VerifiedBackup,
  { checkpoint: { position, events, hash, created_at: at }, ownKey }: NamedCheckpoint,
): Promise<CheckpointComparison> {
  const last = Number(position);
  const chain = createChain();
  for await (const segment of readSegments(store, { count: segments })) {
    if (segment.header.first_position > last) break;
    const read = await readSegment(segmentName(segment.header.sequence), segment);
    for (const event of read)
      if (event.position <= last && isPermanent(event.stream)) chain.add(event);
  }
  const lacking = events - chain.events();
  const reaches = (ends.at(-1) ?? 0) >= last;
  if (lacking < 0 || ((reaches || lacking === 0) && chain.hash() !== hash))
    throw new BackupDamage(
      `the copy differs from the checkpoint of ${at}: ${chain.events()} events up to position ${position} have the hash ${chain.hash()}; the checkpoint covers ${events} with ${hash}`,
    );
  const end = ends.at(-1) ?? 0;
  const detail =
    lacking === 0
      ? `the copy has all ${events} events that the checkpoint of ${at} covers`
      : `the copy lacks ${lacking} events that the checkpoint of ${at} covers: it ends at position ${end}, the checkpoint at ${position}`;
  if (ownKey === undefined) return { lacking, detail };
  const note = `the checkpoint is signed with ${ownKey}: there is no key to verify it with`;
  return { lacking, detail: `${detail}; ${note}` };
}
