import { setImmediate as turn } from 'node:timers/promises';
import {
  confirmBatch,
  evolveBatch,
  evolveRuns,
  noBatch,
  isChecked,
  noRuns,
  recordResults,
  type Author,
  type CheckedBatch,
  type BatchConfirmation,
  type PayoutBatch,
  type PayoutRuns,
  type BatchRun,
} from '#shared/domain/payout-batch/decide.ts';
import {
  decodePayoutBatchEvent,
  mostRowsInEvent,
  payoutBatchEventSchemas,
  payoutBatchStream,
  payoutRowsStream,
  payoutRunsStream,
  type PayoutBatchEvent,
  type RowResult,
  type StoredRow,
} from '#shared/domain/payout-batch/events.ts';
import { storedNumber } from '#shared/domain/methods/index.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { StreamFold } from '#shared/platform/event-store/handle-command.ts';
import { foldStored, NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { createBodySchema, type CreateBody } from '../create-body/body.ts';
import { decideAndAppend } from '../commands/decide-and-append.ts';
import { toNewEvents } from '../commands/new-events.ts';
import type { Origin } from '../commands/origin.ts';
import type { PersonalData, Sealer } from '../personal-data/personal-data.ts';
import { refuseUsedNames, type FindExisting } from './existing-operations.ts';
import { sealLabel } from './file-label.ts';
import type { PayoutFileContent } from './read-file.ts';
import {
  clientOfFiles,
  hashFile,
  openWaitingRows,
  storeWaitingRows,
  type WaitingFilePorts,
  type WaitingRows,
} from './waiting-files.ts';

export type BatchPorts = WaitingFilePorts & {
  store: EventStore;
  personal: Pick<PersonalData, 'bodyHashUnder'>;
  /** Undefined where there are no lists: no row is refused for its name. */
  findExisting?: FindExisting | undefined;
};
/** `name`: as the uploader's computer has it. */
type CheckRequest = {
  shop: Shop;
  file: PayoutFileContent;
  name?: string | undefined;
  origin: Origin;
};

/** `isRepeated`: the file was checked before. */
export type CheckedFile = CheckedBatch & { isRepeated: boolean };

const batchFolding: StreamFold<PayoutBatch, PayoutBatchEvent> = {
  initial: noBatch,
  decode: decodePayoutBatchEvent,
  evolve: evolveBatch,
};
const runsFolding: StreamFold<PayoutRuns, PayoutBatchEvent> = {
  initial: noRuns,
  decode: decodePayoutBatchEvent,
  evolve: evolveRuns,
};

/** A shop's batch; another shop's does not exist for it. @throws when the log can't be read */
export async function readBatch(
  store: Pick<EventStore, 'read'>,
  { batchId, shopId }: { batchId: string; shopId: string },
): Promise<PayoutBatch> {
  const batch = foldStored(batchFolding, await store.read(payoutBatchStream(batchId)));
  return batch.checked?.shop_id === shopId ? batch : noBatch;
}

const pageSize = 1_000;
export const newestOnly = { direction: 'backwards', maxCount: 1 } as const;

/** The confirmed batches that are not done. */
export type Runs = {
  /** Their state in the log. @throws when the log can't be read */
  current(): Promise<PayoutRuns>;
};

/** Reads the runs, and caches what it has read. */
export function createRuns(store: Pick<EventStore, 'read'>): Runs {
  let latest = noRuns;
  return {
    current: async () => {
      let runs = latest;
      for (let read = pageSize; read === pageSize;) {
        const fromRevision = runs.revision + 1;
        const events = await store.read(payoutRunsStream, { fromRevision, maxCount: pageSize });
        runs = foldStored(runsFolding, events, runs);
        read = events.length;
      }
      if (runs.revision > latest.revision) latest = runs;
      return runs;
    },
  };
}

/** How many batches an instance works on; of a shop one at a time. */
export const batchesAtOnce = 4;

/**
 * For how long, at the shop where that is longest, no row of its confirmed files got a result, in
 * milliseconds. A shop's files wait for each other. A shop of which none is started may wait for
 * its turn while as many others as an instance works on have results.
 * @throws when the log can't be read
 */
export async function readStandstillMs(
  store: Pick<EventStore, 'read'>,
  { running }: PayoutRuns,
  nowMs: number,
): Promise<number> {
  const newestMs = new Map<string, number>();
  const started = new Set<string>();
  for (const { batchId, shopId, revision } of running.values()) {
    const [newest] = await store.read(payoutBatchStream(batchId), newestOnly);
    const confirmed = await store.read(payoutRunsStream, { fromRevision: revision, maxCount: 1 });
    const times = [...confirmed, newest].map((event) => event?.created.getTime() ?? 0);
    newestMs.set(shopId, Math.max(newestMs.get(shopId) ?? 0, ...times));
    if (newest?.type === 'PayoutBatchRowsCreated') started.add(shopId);
  }
  const others = [...started].map((shopId) => newestMs.get(shopId) ?? 0).toSorted((x, y) => y - x);
  const turnMs = others[batchesAtOnce - 1] ?? 0;
  const since = [...newestMs].map(([shopId, ms]) =>
    started.has(shopId) ? ms : Math.max(ms, turnMs),
  );
  return nowMs - Math.min(nowMs, ...since);
}

/**
 * Stores a parsed file as a batch; no payout is created yet. The same rows are the same batch
 * (R24.1), because its id is a hash of them. The log gets only what names the file.
 * @throws Problem not_ready when a store does not answer
 */
export async function checkBatch(
  ports: BatchPorts,
  { shop, file: read, name, origin }: CheckRequest,
): Promise<CheckedFile> {
  const { store } = ports;
  const { shopId } = shop;
  const sealer = await ports.personal.sealer(clientOfFiles(shopId));
  const { batchId, earlier } = await findEarlier(store, { shop, sealer, file: read });
  // Not in the hash, and not again: its own payouts exist once the file was confirmed.
  const { findExisting } = ports;
  const file =
    findExisting && !isChecked(earlier)
      ? await refuseUsedNames({ ...ports, find: findExisting }, read, shop)
      : read;
  const { rows, errors, total, bodies, sha256 } = file;
  const faults = isChecked(earlier) ? earlier.checked.errors : errors;
  const sealed_file = sealLabel(sealer, batchId, { name, sha256 });
  const about = { batch_id: batchId, shop_id: shopId, rows, total, errors, sealed_file };
  // What no one can decode would stop each reader of the log, so its rows are not stored either.
  const data = payoutBatchEventSchemas.PayoutBatchChecked.parse(about);
  // Also again: the earlier rows may have been lost before all were recorded.
  if (faults.length === 0 && (await countStoredChunks(store, batchId)) < countChunks(file))
    await storeWaitingRows(ports, { batchId, sealer, bodies });
  if (isChecked(earlier)) return { ...earlier, isRepeated: true };
  const request = {
    stream: payoutBatchStream(batchId),
    expectedRevision: NO_STREAM,
    events: toNewEvents([{ type: 'PayoutBatchChecked', data }], origin),
  };
  if (requireOutcome(await store.append(request)) === 'appended')
    return {
      ...noBatch,
      revision: 0,
      checked: data,
      uploadedBy: toAuthor(origin),
      isRepeated: false,
    };
  const existing = await readBatch(store, { batchId, shopId });
  if (isChecked(existing)) return { ...existing, isRepeated: true };
  throw new Error('the store does not show the batch yet');
}

type ShopFile = { shop: Shop; sealer: Sealer; file: PayoutFileContent };

/** The id of a file's batch, and the batch if the file was checked before. */
async function findEarlier(
  store: Pick<EventStore, 'read'>,
  { shop, sealer, file }: ShopFile,
): Promise<{ batchId: string; earlier: PayoutBatch }> {
  const find = async (
    rows: Pick<PayoutFileContent, 'rows' | 'errors' | 'bodies' | 'faultyRows'>,
  ) => {
    const content = `payout batch\n${await hashFile(sealer, rows)}`;
    const batchId = operationIdFor(Buffer.from(shop.operationIdSecret, 'hex'), content);
    return { batchId, earlier: await readBatch(store, { batchId, shopId: shop.shopId }) };
  };
  const bodies = file.bodies.map(withStoredNumber);
  const found = await find({ ...file, bodies });
  if (isChecked(found.earlier) || bodies.every((body, at) => body === file.bodies[at]))
    return found;
  // Until 2026-11-30 the numbers counted as they were written.
  const asWritten = await find(file);
  return isChecked(asWritten.earlier) ? asWritten : found;
}

/** The number without separators: forms of a file differ in them. */
function withStoredNumber(body: CreateBody): CreateBody {
  const number = body.number && storedNumber(body.method, body.number);
  return number === body.number ? body : { ...body, number };
}

const countChunks = ({ rows }: { rows: number }): number => Math.ceil(rows / mostRowsInEvent);

/** How many events have rows of the file, from its first row on. */
async function countStoredChunks(
  store: Pick<EventStore, 'read'>,
  batchId: string,
): Promise<number> {
  const [event] = await store.read(payoutRowsStream(batchId), newestOnly);
  return (event?.revision ?? -1) + 1;
}

/** @throws Problem not_ready if it is unknown */
function requireOutcome(
  appended: Awaited<ReturnType<EventStore['append']>>,
): 'appended' | 'conflict' {
  if (appended.outcome !== 'unknown') return appended.outcome;
  const detail = 'it is not known whether the file was stored: retry later';
  throw new Problem('not_ready', { detail, cause: appended.cause });
}

/**
 * Records the rows of a file that is being confirmed, sealed with their clients' keys. It continues
 * where an earlier confirmation stopped.
 * @returns the rows outside of the log; undefined if the log had all of them
 * @throws Problem confirmation_not_expected, not_ready
 */
async function recordFile(
  ports: BatchPorts,
  batch: PayoutBatch,
  origin: Origin,
): Promise<WaitingRows | undefined> {
  const { store } = ports;
  if (!isChecked(batch)) return undefined;
  const { batch_id: batchId, shop_id: shopId } = batch.checked;
  const chunks = countChunks(batch.checked);
  const first = await countStoredChunks(store, batchId);
  if (first >= chunks) return undefined;
  const waiting = await openWaitingRows(ports, { shopId, batchId });
  if (!waiting) {
    // Another instance may have recorded them meanwhile.
    if ((await countStoredChunks(store, batchId)) >= chunks) return undefined;
    throw rowsErased();
  }
  for (let at = first; at < chunks; at += 1) {
    const bodies = await waiting.chunk(at);
    if (!bodies) throw rowsErased();
    const sealed = await sealRows(ports, { shopId, batchId, bodies, from: at * mostRowsInEvent });
    // An erasure retires the key of files first, so until then no row has a key that is newer.
    if (await waiting.isErased()) throw rowsErased();
    const data = { batch_id: batchId, shop_id: shopId, rows: sealed };
    const events = toNewEvents([{ type: 'PayoutBatchRowsStored', data }], origin);
    const stream = payoutRowsStream(batchId);
    // Each chunk has its own revision, so an event that exists already has the same rows.
    requireOutcome(await store.append({ stream, expectedRevision: at - 1, events }));
    await turn();
  }
  return waiting;
}

const rowsErased = () =>
  new Problem('confirmation_not_expected', {
    detail: 'the rows of the file are no longer stored, after an erasure or 30 days: send it again',
  });

const sealRows = (
  { personal }: Pick<BatchPorts, 'personal'>,
  {
    shopId,
    batchId,
    bodies,
    from,
  }: { shopId: string; batchId: string; bodies: readonly CreateBody[]; from: number },
): Promise<StoredRow[]> =>
  Promise.all(
    bodies.map(async (body, index) => {
      const sealer = await personal.sealer({ shopId, clientId: body.client_id });
      return storedRow(sealer, { body, about: aboutRow(batchId, from + index + 1) });
    }),
  );

const personalFields = ['number', 'name', 'bankname'] as const;

const aboutRow = (batchId: string, row: number) => `${batchId} row ${row}`;

function storedRow(
  sealer: Sealer,
  { body, about }: { body: CreateBody; about: string },
): StoredRow {
  const { merchant_operation_id, client_id, method, amount, currency } = body;
  const own = personalFields.filter((field) => body[field] !== undefined);
  const fields = Object.fromEntries(own.map((field) => [field, body[field]]));
  const sealed = sealer.text(about, canonicalJson(fields));
  return { merchant_operation_id, client_id, method, amount, currency, sealed };
}

/** A row to be created, with its number in the file. */
export type BatchRow = { row: number; stored: StoredRow };

/** The rows after row `after`, up to the end of their event. @throws when the log can't be read */
export async function readRows(
  store: Pick<EventStore, 'read'>,
  { batchId, after }: { batchId: string; after: number },
): Promise<BatchRow[]> {
  const at = Math.floor(after / mostRowsInEvent);
  const stream = payoutRowsStream(batchId);
  const [event] = await store.read(stream, { fromRevision: at, maxCount: 1 });
  const decoded = event && decodePayoutBatchEvent(event);
  if (decoded?.type !== 'PayoutBatchRowsStored') return [];
  const rows = decoded.data.rows.map((stored, index) => ({
    row: at * mostRowsInEvent + index + 1,
    stored,
  }));
  return rows.slice(after - at * mostRowsInEvent);
}

/** A row as the body of a create; undefined once its client's data is erased. */
export async function openRow(
  personal: Pick<PersonalData, 'openText'>,
  batchId: string,
  { row, stored: { sealed, ...rest } }: BatchRow,
): Promise<CreateBody | undefined> {
  const text = await personal.openText(sealed, aboutRow(batchId, row));
  if (text === undefined) return undefined;
  return createBodySchema.parse({ ...rest, ...(JSON.parse(text) as object) });
}

/** The author of a command, as the decision checks it. */
export const toAuthor = ({ actor, keyId, linkIssuers }: Origin): Author => ({
  actor,
  keyId,
  linkIssuers,
});

/**
 * Confirms a batch: its rows are recorded, and from now on created. A repeat changes nothing. The
 * shop's setting is the one that the caller has just read, so a change of it applies to later
 * confirmations, and not to one that is being decided (R24.6).
 * @returns the batch that was decided on
 * @throws Problem not_found, confirmation_not_expected, second_member_required; not_ready when the
 *   log does not answer
 */
export async function confirmPayoutBatch(
  { runs, ...ports }: BatchPorts & { runs: Runs },
  { batchId, shop, origin }: { batchId: string; shop: Shop; origin: Origin },
): Promise<CheckedBatch> {
  const { store } = ports;
  const fromState = await runs.current();
  const target = { store, stream: payoutRunsStream, folding: runsFolding, fromState, origin };
  const confirmation = { by: toAuthor(origin), shop };
  let batch = await readBatch(store, { batchId, shopId: shop.shopId });
  const first = confirmBatch(batch, fromState, confirmation);
  if ('refusal' in first) throw notConfirmed(first.refusal);
  // Before it is confirmed, so that no confirmed file lacks a row.
  const recorded = first.events.length > 0 && (await recordFile(ports, batch, origin));
  const confirmed = await decideAndAppend(target, async (latest) => {
    // Read after the runs, so that a batch that has ended meanwhile shows its results.
    batch = await readBatch(store, { batchId, shopId: shop.shopId });
    return confirmBatch(batch, latest, confirmation);
  });
  if (confirmed.outcome === 'done') {
    // Rows that could not be removed are deleted by the next erasure.
    if (recorded) await recorded.remove().catch(() => undefined);
    // What was confirmed was checked before.
    return batch as CheckedBatch;
  }
  if (confirmed.outcome === 'undecided')
    throw new Problem('not_ready', {
      detail: 'it is not known whether the batch was confirmed: confirm it again',
      cause: confirmed.cause,
    });
  throw notConfirmed(confirmed.refusal);
}

function notConfirmed({
  code,
}: Extract<BatchConfirmation, { refusal: unknown }>['refusal']): Problem {
  if (code === 'unknown_batch') return new Problem('not_found');
  if (code === 'second_member_required') return new Problem(code, { detail: whereToConfirm });
  return new Problem('confirmation_not_expected', {
    detail:
      'the file has errors, so no payout of it is created: correct it and send it as a new file',
  });
}

const whereToConfirm =
  'an admin of the shop who did not upload the file confirms it in the portal, on the page of the file';

/** The origin of a batch's payouts, and of their recorded results. */
export const originOfRun = ({ causationId, correlationId }: BatchRun): Origin => ({
  actor: 'service:merchant-api',
  causationId,
  correlationId,
});

/** Records the results of rows. @returns the batch with them; undefined if another process did. */
export async function recordRows(
  store: EventStore,
  { run, batch, results }: { run: BatchRun; batch: PayoutBatch; results: readonly RowResult[] },
): Promise<PayoutBatch | undefined> {
  const stream = payoutBatchStream(run.batchId);
  const recorded = await decideAndAppend(
    { store, stream, folding: batchFolding, fromState: batch, origin: originOfRun(run) },
    (latest) => recordResults(latest, { from: batch.results.length, results }),
  );
  return recorded.outcome === 'done' ? recorded.state : undefined;
}

/** Ends the run of a batch whose rows all have a result. */
export async function finishRun(store: EventStore, runs: PayoutRuns, run: BatchRun): Promise<void> {
  const { batchId: batch_id, shopId: shop_id } = run;
  await decideAndAppend(
    {
      store,
      stream: payoutRunsStream,
      folding: runsFolding,
      fromState: runs,
      origin: originOfRun(run),
    },
    ({ running }) => ({
      events: running.has(batch_id)
        ? [{ type: 'PayoutBatchFinished' as const, data: { batch_id, shop_id } }]
        : [],
    }),
  );
}
