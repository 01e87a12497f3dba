import { listOperationsOfClient } from '#projections/operations/of-client.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { erasureStream } from '#shared/domain/personal-data/events.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import {
  personalKeyId,
  readKeyState,
  type Client,
} from '#shared/application/personal-data/keys.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDb } from '../database.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readErasure, type Erasure } from './erasure-stream.ts';

const maxErasures = 1_000;

/**
 * Requests the erasure of a client's personal data, once; `finish-erasures.ts` carries it out. A
 * repeat finds the same erasure, also after its end, until the client has new operations.
 * @throws Problem not_found for a client without data; client_operations_open while one of the
 * client's operations has not ended; not_ready when a store does not answer
 */
export async function requestErasure(
  { store, db }: { store: EventStore; db: AdminDb },
  client: Client,
  origin: Origin,
): Promise<Erasure> {
  const { keyId, before } = await findKey(store, client);
  const existing = await fromStore(readErasure(store, keyId));
  if (existing) return existing;
  if (before) return before;
  await checkOperations({ store, db }, client, { mayBeNone: await hasKey(store, keyId) });
  const requested = {
    type: 'PersonalDataErasureRequested',
    data: { shop_id: client.shopId, client_id: client.clientId, key_id: keyId },
  } as const;
  const appended = await fromStore(
    store.append({
      stream: erasureStream(keyId),
      expectedRevision: NO_STREAM,
      events: toNewEvents([requested], origin),
    }),
  );
  if (appended.outcome === 'unknown') throw notDecided(appended.cause);
  // Another request may have been first: return its erasure.
  const erasure = await fromStore(readErasure(store, keyId));
  if (!erasure) throw notDecided();
  return erasure;
}

const hasKey = async (store: EventStore, keyId: string) =>
  (await fromStore(readKeyState(store, keyId))).state === 'in_use';

/** The client's current key. `before`: the last erasure, if the client has not come again since. */
async function findKey(
  store: EventStore,
  client: Client,
): Promise<{ keyId: string; before: Erasure | undefined }> {
  for (let generation = 0; generation < maxErasures; generation += 1) {
    const keyId = personalKeyId(client, generation);
    const { state } = await fromStore(readKeyState(store, keyId));
    if (state === 'destroyed') continue;
    const last =
      state === 'absent' && generation > 0 ? personalKeyId(client, generation - 1) : undefined;
    return {
      keyId,
      before: last === undefined ? undefined : await fromStore(readErasure(store, last)),
    };
  }
  throw new Error(`a client was erased more than ${maxErasures} times`);
}

/**
 * From the read models; those that are open there are read from the log, where they may have ended.
 * Before anything is destroyed, the erasure waits until the read models have caught up.
 */
async function checkOperations(
  { store, db }: { store: EventStore; db: AdminDb },
  client: Client,
  { mayBeNone }: { mayBeNone: boolean },
) {
  const { total, open } = await fromDatabase(findOperations(db, client));
  for (const operationId of open) {
    const operation = await fromStore(readOperation(store, operationId));
    if (operation && isTerminal(operation.status)) continue;
    throw new Problem('client_operations_open', {
      detail: `operation ${operationId} of the client is open: its data can’t be erased yet`,
    });
  }
  if (total === 0 && !mayBeNone)
    throw new Problem('not_found', { detail: 'the client does not exist' });
}

async function findOperations(
  db: AdminDb,
  client: Client,
): Promise<{ total: number; open: string[] }> {
  let total = 0;
  const open: string[] = [];
  for await (const page of listOperationsOfClient(db, client)) {
    total += page.length;
    open.push(...page.flatMap(({ operationId, ended }) => (ended ? [] : [operationId])));
  }
  return { total, open };
}
