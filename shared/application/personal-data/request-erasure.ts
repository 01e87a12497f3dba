import { isTerminal } from '#shared/domain/operation/state.ts';
import { erasureStream } from '#shared/domain/personal-data/events.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { clientOfFiles, hasWaitingRow } from '#shared/application/payout-batches/waiting-files.ts';
import {
  findGeneration,
  findKeyInUse,
  personalKeyId,
  readKeyState,
  type ShopClient,
} from '#shared/application/personal-data/keys.ts';
import type { ErasableReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readErasure, type Erasure } from './read-erasure.ts';
import type { ErasureModels } from './client-operations.ts';
import { retireKey } from './finish-erasure.ts';
import type { PersonalData } from './personal-data.ts';

type RequestPorts = {
  store: EventStore;
  models: Pick<ErasureModels, 'listOperations'>;
  receipts: Pick<ErasableReceiptStore, 'get' | 'list'>;
  personal: Pick<PersonalData, 'openText'>;
};

/**
 * Requests the erasure of a client's personal data, once; the admin service carries it out
 * (`finish-erasure.ts`). A repeat finds the same erasure, also after its end, until the client has
 * new operations.
 * @throws Problem not_found for a client without data; client_operations_open while one of the
 * client's operations has not ended; not_ready when a store does not answer
 */
export async function requestErasure(
  ports: RequestPorts,
  client: ShopClient,
  origin: Origin,
): Promise<Erasure> {
  const { store } = ports;
  const files = clientOfFiles(client.shopId);
  const filesKeyId = await findFilesKey(ports, client);
  const { keyId, before } = await findKey(store, client);
  const existing = await fromStore(readErasure(store, keyId));
  if (!existing) {
    if (before && filesKeyId === undefined) return before;
    const mayBeNone = filesKeyId !== undefined || (await hasKey(store, keyId));
    await checkOperations(ports, client, { mayBeNone });
  }
  // All files that wait, because they have one key.
  if (filesKeyId !== undefined) {
    await record(store, { client: files, keyId: filesKeyId, origin });
    // Before the client's, so that a confirmation in progress seals no row with a key after that.
    await fromStore(retireKey({ store }, filesKeyId, origin));
  }
  return existing ?? record(store, { client, keyId, origin });
}

/** The key of the shop's files that wait, if one of them has data of the client. */
async function findFilesKey(
  ports: Omit<RequestPorts, 'models'>,
  { shopId, clientId }: ShopClient,
): Promise<string | undefined> {
  const keyId = await fromStore(findKeyInUse(ports.store, clientOfFiles(shopId)));
  if (keyId === undefined) return undefined;
  return (await fromStore(hasWaitingRow(ports, { keyId, clientId }))) ? keyId : undefined;
}

/** Records the request; a repeat, or another request that was first, changes nothing. */
async function record(
  store: EventStore,
  {
    client: { shopId: shop_id, clientId: client_id },
    keyId: key_id,
    origin,
  }: { client: ShopClient; keyId: string; origin: Origin },
): Promise<Erasure> {
  const requested = {
    type: 'PersonalDataErasureRequested',
    data: { shop_id, client_id, key_id },
  } as const;
  const appended = await fromStore(
    store.append({
      stream: erasureStream(key_id),
      expectedRevision: NO_STREAM,
      events: toNewEvents([requested], origin),
    }),
  );
  if (appended.outcome === 'unknown') throw notDecided(appended.cause);
  const erasure = await fromStore(readErasure(store, key_id));
  if (!erasure) throw notDecided();
  return erasure;
}

const hasKey = async (store: EventStore, keyId: string) =>
  (await fromStore(readKeyState(store, keyId))).state === 'in_use';

/** The client's current key. `before`: the last erasure, if the client has not come again since. */
async function findKey(
  store: EventStore,
  client: ShopClient,
): Promise<{ keyId: string; before: Erasure | undefined }> {
  const read = (keyId: string) => readKeyState(store, keyId);
  const isPast = (state: string) => state === 'destroyed';
  const { keyId, generation, stored } = await fromStore(findGeneration(client, { read, isPast }));
  if (stored.state !== 'absent' || generation === 0) return { keyId, before: undefined };
  const last = personalKeyId(client, generation - 1);
  return { keyId, before: await fromStore(readErasure(store, last)) };
}

/**
 * From the read models; those that are open there are read from the log, where they may have ended.
 * Before anything is destroyed, the erasure waits until the read models have caught up.
 */
async function checkOperations(
  { store, models }: Pick<RequestPorts, 'store' | 'models'>,
  client: ShopClient,
  { mayBeNone }: { mayBeNone: boolean },
) {
  const { total, open } = await fromDatabase(findOperations(models, client));
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
  models: Pick<ErasureModels, 'listOperations'>,
  client: ShopClient,
): Promise<{ total: number; open: string[] }> {
  let total = 0;
  const open: string[] = [];
  for await (const page of models.listOperations(client)) {
    total += page.length;
    open.push(...page.flatMap(({ operationId, ended }) => (ended ? [] : [operationId])));
  }
  return { total, open };
}
