import { toNewEvents } from '#shared/application/commands/new-events.ts';
import {
  checkpointKeyStream,
  decideSigningKey,
  decodeCheckpointKeyEvent,
  foldCheckpointKeys,
} from '#shared/domain/ledger/checkpoints.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * Records the key in the log as the signing key, which retires the previous one.
 * @returns since when it is valid, in epoch milliseconds
 * @throws if it was retired before, or while the log can't be read or written
 */
export async function setSigningKey(
  store: EventStore,
  { keyId, x }: SigningKey,
  now: () => number,
): Promise<number> {
  const stored = await store.read(checkpointKeyStream);
  const keys = foldCheckpointKeys(stored.map(decodeCheckpointKeyEvent));
  const at = new Date(now()).toISOString();
  const decision = decideSigningKey(keys, { keyId, x, at });
  if ('refusal' in decision)
    throw new Error(
      `the checkpoint key ${keyId} has ended: set CHECKPOINT_SIGNING_KEY to a new one`,
    );
  const validFrom = keys.find((each) => each.keyId === keyId)?.validFrom ?? at;
  if (decision.events.length === 0) return Date.parse(validFrom);
  const { outcome } = await store.append({
    stream: checkpointKeyStream,
    expectedRevision: stored.at(-1)?.revision ?? NO_STREAM,
    events: toNewEvents(decision.events, { actor: 'service:projections', correlationId: newId() }),
  });
  if (outcome !== 'appended') throw new Error('the checkpoint key could not be added to the log');
  return Date.parse(validFrom);
}
