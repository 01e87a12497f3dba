import type { Kysely } from 'kysely';
import {
  erasureStream,
  personalKeyStream,
  type ErasureRequest,
} from '#shared/domain/personal-data/events.ts';
import {
  isStreamDeleted,
  type ErasableEventStore,
  type EventStore,
} from '#shared/platform/event-store/index.ts';
import { NO_STREAM } from '#shared/platform/event-store/types.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { keyLifetimeMs, readKeyState } from '#shared/application/personal-data/keys.ts';
import type { ErasableReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { folderOfFiles } from '#shared/application/payout-batches/waiting-files.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { forgetAnswers } from '#shared/application/webhooks/messages/forget-answers.ts';
import { findClientOperations, type ErasureModels } from './client-operations.ts';

export type ErasurePorts = {
  store: ErasableEventStore;
  models: ErasureModels;
  /** Of webhooks: endpoints' answers may repeat personal data. */
  db: Kysely<WebhooksDatabase>;
  receipts: Pick<ErasableReceiptStore, 'removeAll'>;
};

/**
 * After this time, nobody seals with a retired key: caches have expired, and every append under way
 * has either reached the log or failed.
 */
export const keyDrainMs = keyLifetimeMs + 10_000;

/**
 * Makes sure that nothing new is sealed with the key. Idempotent.
 * @throws when the store does not say
 */
export async function retireKey(
  { store }: { store: Pick<EventStore, 'read' | 'append'> },
  keyId: string,
  origin: Origin,
): Promise<'retired' | 'destroyed'> {
  const keyState = await readKeyState(store, keyId);
  if (keyState.state === 'destroyed' || keyState.state === 'retired') return keyState.state;
  const retired = { type: 'PersonalKeyRetired', data: { key_id: keyId } };
  const appended = await store.append({
    stream: personalKeyStream(keyId),
    // A client without sealed data gets another key from now on.
    expectedRevision: keyState.state === 'absent' ? NO_STREAM : keyState.revision,
    events: toNewEvents([retired], origin),
  });
  if (appended.outcome === 'appended') return 'retired';
  // Another process may have retired it, or the client's first operation has just made the key.
  const now = await readKeyState(store, keyId);
  if (now.state === 'retired' || now.state === 'destroyed') return now.state;
  throw new Error('the key could not be retired: somebody else has just written to it');
}

/**
 * Destroys what the key seals, once every operation that needs it has ended: the payers' files
 * first, then the key; then records the end. The key must have been retired for `keyDrainMs`.
 * Idempotent: continues where an earlier try stopped.
 * @returns why it has to wait, or undefined if it is done
 * @throws when a store does not answer
 */
export async function destroy(
  { store, models, db, receipts }: ErasurePorts,
  request: ErasureRequest,
  origin: Origin,
): Promise<string | undefined> {
  const { shop_id: shopId, client_id: clientId, key_id: keyId } = request;
  // Events that are not in the tables yet could be operations that need the key or have files.
  if (await models.areBehind()) return 'the read model of operations is behind';
  const { operations, open, inClear } = await findClientOperations(
    { models, store },
    { shopId, clientId },
    keyId,
  );
  if (open > 0) return `${open} operations have not ended`;
  // Every uploaded file, refused and unreported ones too.
  let files = 0;
  for (const { operationId } of operations) files += await receipts.removeAll(operationId);
  // Those of clients have none.
  files += await receipts.removeAll(folderOfFiles(keyId));
  await forgetAnswers(
    db,
    operations.map(({ operationId }) => operationId),
  );
  await store.tombstone(personalKeyStream(keyId));
  const erased = {
    type: 'PersonalDataErased',
    data: { operations: operations.length, in_clear: inClear, receipt_files: files },
  };
  const noted = await store
    .append({
      stream: erasureStream(keyId),
      expectedRevision: 0,
      events: toNewEvents([erased], origin),
    })
    .catch((error: unknown) => {
      if (isStreamDeleted(error))
        throw new Error('an erasure’s own stream is gone', { cause: error });
      throw error;
    });
  if (noted.outcome === 'unknown') throw new Error('it is not known whether the end was noted');
  return undefined;
}
