import { createHash } from 'node:crypto';
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
  type PayoutBatch,
  type PayoutRuns,
  type Run,
} from '#shared/domain/payout-batch/decide.ts';
import {
  decodePayoutBatchEvent,
  mostRowsInEvent,
  payoutBatchStream,
  payoutRowsStream,
  payoutRunsStream,
  type PayoutBatchEvent,
  type RowResult,
  type StoredRow,
} from '#shared/domain/payout-batch/events.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Folding } from '#shared/platform/event-store/handle-command.ts';
import { foldStored, NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import type { CreateBody } from '../create-body/body.ts';
import { decideAndAppend } from '../commands/decide-and-append.ts';
import { toNewEvents } from '../commands/new-events.ts';
import type { Origin } from '../commands/origin.ts';
import type { PersonalData, Sealer } from '../personal-data/personal-data.ts';
import type { ReadFile } from './read-file.ts';

type Stores = { store: EventStore; personal: Pick<PersonalData, 'sealer'> };
type CheckRequest = { shop: Shop; file: ReadFile; origin: Origin };

const batchFolding: Folding<PayoutBatch, PayoutBatchEvent> = {
  initial: noBatch,
  decode: decodePayoutBatchEvent,
  evolve: evolveBatch,
};
const runsFolding: Folding<PayoutRuns, PayoutBatchEvent> = {
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

/**
 * Stores a parsed file as a batch; no payout is created yet. The same file is the same batch
 * (R24.1), because its id is a hash of the content. Personal data enters that hash only under the
 * clients' keys, so that after an erasure no number can be found by trying values.
 * @throws Problem not_ready when the log does not answer
 */
export async function checkBatch(
  stores: Stores,
  checkRequest: CheckRequest,
): Promise<CheckedBatch> {
  const { store } = stores;
  const { shop, file, origin } = checkRequest;
  const { shopId } = shop;
  const whole = file.errors.length === 0;
  const rows = whole ? await keyedRows(stores.personal, checkRequest) : [];
  const batchId = batchIdOf(checkRequest, rows);
  const earlier = await readBatch(store, { batchId, shopId });
  if (isChecked(earlier)) return earlier;
  const of = { batch_id: batchId, shop_id: shopId };
  const stream = payoutRowsStream(batchId);
  // Each chunk has its own revision, so an event that exists already holds the same rows.
  for (let at = 0; at * mostRowsInEvent < rows.length; at += 1) {
    const first = at * mostRowsInEvent;
    const chunk = rows.slice(first, first + mostRowsInEvent);
    const stored = chunk.map((row, index) => storedRow(row, aboutRow(batchId, first + index + 1)));
    const data = { ...of, rows: stored };
    const events = toNewEvents([{ type: 'PayoutBatchRowsStored', data }], origin);
    outcomeOf(await store.append({ stream, expectedRevision: at - 1, events }));
  }
  const { total, errors } = file;
  const data = { ...of, rows: file.rows, total, errors };
  const checked = toNewEvents([{ type: 'PayoutBatchChecked', data }], origin);
  const request = {
    stream: payoutBatchStream(batchId),
    expectedRevision: NO_STREAM,
    events: checked,
  };
  if (outcomeOf(await store.append(request)) === 'appended')
    return { ...noBatch, revision: 0, checked: data, uploadedBy: authorOf(origin) };
  const existing = await readBatch(store, { batchId, shopId });
  if (isChecked(existing)) return existing;
  throw new Error('the store does not show the batch yet');
}

/** @throws Problem not_ready if it is unknown */
function outcomeOf(appended: Awaited<ReturnType<EventStore['append']>>): 'appended' | 'conflict' {
  if (appended.outcome !== 'unknown') return appended.outcome;
  const detail = 'it is not known whether the file was stored: send it again';
  throw new Problem('not_ready', { detail, cause: appended.cause });
}

type KeyedRow = { body: CreateBody; personal: string; sealer: Sealer };

const personalFields = ['number', 'name', 'bankname'] as const;

async function keyedRows(
  personal: Stores['personal'],
  { shop: { shopId }, file: { bodies } }: CheckRequest,
): Promise<KeyedRow[]> {
  const rows: KeyedRow[] = [];
  for (let at = 0; at < bodies.length; at += mostRowsInEvent) {
    const chunk = bodies.slice(at, at + mostRowsInEvent).map(async (body) => {
      const sealer = await personal.sealer({ shopId, clientId: body.client_id });
      const own = personalFields.filter((field) => body[field] !== undefined);
      const fields = Object.fromEntries(own.map((field) => [field, body[field]]));
      return { body, personal: canonicalJson(fields), sealer };
    });
    rows.push(...(await Promise.all(chunk)));
  }
  return rows;
}

const secretOf = (shop: Shop) => Buffer.from(shop.operationIdSecret, 'hex');

function batchIdOf({ shop, file }: CheckRequest, rows: readonly KeyedRow[]): string {
  const digest = createHash('sha256');
  digest.update(`${canonicalJson([file.rows, file.errors])}\n`);
  const keyed = new Map(rows.map(({ body, ...row }) => [body, row]));
  for (const body of file.bodies) {
    const { number: _number, name: _name, bankname: _bankname, ...rest } = body;
    const row = keyed.get(body);
    const hash = row?.sealer.bodyHash('payout batch', row.personal).hmac ?? null;
    digest.update(`${canonicalJson([rest, hash])}\n`);
  }
  return operationIdFor(secretOf(shop), `payout batch\n${digest.digest('hex')}`);
}

const aboutRow = (batchId: string, row: number) => `${batchId} row ${row}`;

function storedRow({ body, personal, sealer }: KeyedRow, about: string): StoredRow {
  const { merchant_operation_id, client_id, method, amount, currency } = body;
  const sealed = sealer.text(about, personal);
  return { merchant_operation_id, client_id, method, amount, currency, sealed };
}

/** A row to be created, with its number in the file. */
export type Row = { row: number; stored: StoredRow };

/** The rows after row `after`, up to the end of their event. @throws when the log can't be read */
export async function readRows(
  store: Pick<EventStore, 'read'>,
  { batchId, after }: { batchId: string; after: number },
): Promise<Row[]> {
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
  { row, stored: { sealed, ...rest } }: Row,
): Promise<CreateBody | undefined> {
  const text = await personal.openText(sealed, aboutRow(batchId, row));
  return text === undefined ? undefined : ({ ...rest, ...JSON.parse(text) } as CreateBody);
}

/** The author of a command, as the decision checks it. */
export const authorOf = ({ actor, keyId, linkIssuers }: Origin): Author => ({
  actor,
  keyId,
  linkIssuers,
});

/**
 * Confirms a batch: from now on its rows are created. A repeat changes nothing. The shop's setting
 * is the one that the caller has just read, so a change of it applies to later confirmations, and
 * not to one that is being decided (R24.6).
 * @returns the batch that was decided on
 * @throws Problem not_found, confirmation_not_expected, second_member_required; not_ready when the
 *   log does not answer
 */
export async function confirmPayoutBatch(
  { store, runs }: { store: EventStore; runs: Runs },
  { batchId, shop, origin }: { batchId: string; shop: Shop; origin: Origin },
): Promise<CheckedBatch> {
  const fromState = await runs.current();
  const target = { store, stream: payoutRunsStream, folding: runsFolding, fromState, origin };
  const confirmation = { by: authorOf(origin), shop };
  let batch = noBatch;
  const confirmed = await decideAndAppend(target, async (latest) => {
    // Read after the runs, so that a batch that has ended meanwhile shows its results.
    batch = await readBatch(store, { batchId, shopId: shop.shopId });
    return confirmBatch(batch, latest, confirmation);
  });
  // What was confirmed was checked before.
  if (confirmed.outcome === 'done') return batch as CheckedBatch;
  if (confirmed.outcome === 'undecided')
    throw new Problem('not_ready', {
      detail: 'it is not known whether the batch was confirmed: confirm it again',
      cause: confirmed.cause,
    });
  const { code } = confirmed.refusal;
  if (code === 'unknown_batch') throw new Problem('not_found');
  if (code === 'second_member_required') throw new Problem(code);
  throw new Problem('confirmation_not_expected', { detail: 'the file has errors' });
}

/** The origin of a batch's payouts, and of their recorded results. */
export const originOfRun = ({ causationId, correlationId }: Run): Origin => ({
  actor: 'service:merchant-api',
  causationId,
  correlationId,
});

/** Records the results of rows. @returns the batch with them; undefined if another process did. */
export async function recordRows(
  store: EventStore,
  { run, batch, results }: { run: Run; batch: PayoutBatch; results: readonly RowResult[] },
): Promise<PayoutBatch | undefined> {
  const stream = payoutBatchStream(run.batchId);
  const recorded = await decideAndAppend(
    { store, stream, folding: batchFolding, fromState: batch, origin: originOfRun(run) },
    (latest) => recordResults(latest, { from: batch.results.length, results }),
  );
  return recorded.outcome === 'done' ? recorded.state : undefined;
}

/** Ends the run of a batch whose rows all have a result. */
export async function finishRun(store: EventStore, runs: PayoutRuns, run: Run): Promise<void> {
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
