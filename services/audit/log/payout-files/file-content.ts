import type { PayoutBatchEvent, RowResult, StoredRow } from '#shared/domain/payout-batch/events.ts';
import { dayMs } from '#shared/domain/day.ts';
import {
  createFlag,
  toEventLocation,
  type EventEnvelope,
  type EventLocation,
} from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { DueItem } from '../entities/entity.ts';
import { formatExactMinor, parseExactMinor } from '../operation/exact-arithmetic.ts';
import type { OperationFacts } from '../operation/fold.ts';
import { deriveOperationId, type Shops } from '../pass/shops.ts';
import { createPayoutTurns } from './turns.ts';

type FileCheck = Extract<PayoutBatchEvent, { type: 'PayoutBatchChecked' }>['data'];

/** The fields of a payout that its row determines. */
type Order = Pick<StoredRow, 'client_id' | 'method' | 'amount' | 'currency'>;

/** A file of payouts, as the log has it so far. */
type File = {
  shopId: string;
  checked?: Omit<FileCheck, 'errors'> & { errors: number };
  /** The event that confirmed it. */
  confirmationId?: string;
  /** The rows in their order; undefined once the file is finished. */
  rows?: { name: string; order: string }[] | undefined;
  byName: Map<string, string>;
  /** A name that two rows have. */
  repeated?: string;
  totals: Map<string, bigint>;
  results: number;
  /** The rows that have failed without a payout, by name; none once the file is finished. */
  unpaid: Set<string>;
  confirmed?: true;
  finished?: true;
  /** Its newest event from the confirmation on. */
  progress?: EventLocation & { stream: string };
};

type Context = { report: Report; shops: Shops; entities: EntityStore };

export type FileContent = ReturnType<typeof createFileContent>;

/** How long a shop whose turn it is may have no new result of its confirmed files. */
const standstillMs = dayMs;

const orderText = ({ client_id, method, amount, currency }: Order): string =>
  JSON.stringify([client_id, method, amount, currency]);

/** What files of payouts have in them, and what became of it (R24.11). */
export function createFileContent() {
  const files = new Map<string, File>();
  const byConfirmation = new Map<string, File>();
  const turns = createPayoutTurns();
  return {
    take: (context: Context, envelope: EventEnvelope, event: PayoutBatchEvent): void => {
      const { batch_id: batchId, shop_id: shopId } = event.data;
      const flag = createFlag(context, envelope, shopId);
      const file = files.get(batchId) ?? emptyFile(shopId);
      files.set(batchId, file);
      if (file.shopId !== shopId)
        return flag('payout_file.content', `shop ${file.shopId} has the file, not ${shopId}`);
      if (event.type === 'PayoutBatchConfirmed') {
        byConfirmation.set(envelope.event.id, file);
        file.confirmationId ??= envelope.event.id;
      }
      const before = { ...file };
      if (event.type === 'PayoutBatchRowsCreated')
        for (const result of event.data.results)
          flag('payout_file.payouts', whyWrongResult(context, file, result));
      else flag('payout_file.content', whyWrong(file, event));
      if (!file.confirmed) return;
      file.progress = { ...toEventLocation(envelope), stream: envelope.event.stream };
      const { atMs } = envelope;
      if (!before.confirmed) turns.confirm(shopId, atMs);
      if (file.results > before.results)
        turns.addResults(shopId, { atMs, first: before.results === 0 });
      if (file.finished && !before.finished)
        turns.finish(shopId, { atMs, started: file.results > 0 });
    },

    /** What is wrong with a payout that a service admits after that confirmation. */
    whyNotRow: (
      confirmationId: string,
      { merchant_operation_id: name, request }: { merchant_operation_id: string; request: Order },
    ): string | undefined => {
      const file = byConfirmation.get(confirmationId);
      if (!file) return undefined;
      if (file.finished) return 'the file had a result for each row before';
      if (file.unpaid.has(name))
        return `row ${JSON.stringify(name)} failed without a payout before`;
      const order = file.byName.get(name);
      if (order === undefined) return `the file has no row ${JSON.stringify(name)}`;
      const admitted = orderText(request);
      return order === admitted ? undefined : `it is ${admitted}, but its row has ${order}`;
    },

    /** The first of the confirmed files of each shop, if they stand still. */
    outstanding: (): DueItem[] => {
      const first = new Map<string, File>();
      for (const file of byConfirmation.values())
        if (file.progress && !file.finished && !first.has(file.shopId))
          first.set(file.shopId, file);
      return [...first].flatMap(([shopId, { checked, results, progress }]): DueItem[] => {
        if (!progress) return [];
        const { atMs: _, ...location } = progress;
        const message = `${results} of ${checked?.rows ?? 0} rows of a confirmed file have a result, and none was added since`;
        const sinceMs = turns.since(shopId) + standstillMs;
        return [{ rule: 'payout_file.standstill', shopId, ...location, sinceMs, message }];
      });
    },
  };
}

const emptyFile = (shopId: string): File => ({
  shopId,
  rows: [],
  byName: new Map(),
  totals: new Map(),
  results: 0,
  unpaid: new Set(),
});

type EventOfFile = Exclude<PayoutBatchEvent, { type: 'PayoutBatchRowsCreated' }>;

/** Applies an event. @returns what is wrong with it */
function whyWrong(file: File, { type, data }: EventOfFile): string | undefined {
  if (type === 'PayoutBatchRowsStored') {
    for (const row of data.rows) addRow(file, row);
    return file.confirmed && 'rows are added to a file that is confirmed';
  }
  if (type === 'PayoutBatchChecked') {
    const again = file.checked && 'a file is checked twice';
    file.checked ??= { ...data, errors: data.errors.length };
    return again;
  }
  if (type === 'PayoutBatchConfirmed') {
    const wrong = file.confirmed ? 'a file is confirmed twice' : whyNotAsChecked(file);
    file.confirmed = true;
    return wrong;
  }
  const wrong = whyNotFinished(file);
  Object.assign(file, { finished: true, rows: undefined });
  file.byName.clear();
  file.unpaid.clear();
  return wrong;
}

function addRow(file: File, row: StoredRow): void {
  const order = orderText(row);
  const name = row.merchant_operation_id;
  if (file.byName.has(name)) file.repeated ??= name;
  file.rows?.push({ name, order });
  file.byName.set(name, order);
  file.totals.set(
    row.currency,
    (file.totals.get(row.currency) ?? 0n) + parseExactMinor(row.amount),
  );
}

/** The rows that are confirmed must be those that were shown to who confirms them. */
function whyNotAsChecked({ checked, rows = [], repeated, totals }: File): string | undefined {
  if (!checked) return 'a file is confirmed that was never checked';
  if (checked.errors > 0) return `a file with ${checked.errors} errors is confirmed`;
  if (rows.length !== checked.rows)
    return `the file has ${rows.length} rows, but its check states ${checked.rows}`;
  if (repeated !== undefined) return `two rows of a file are ${JSON.stringify(repeated)}`;
  const total = inOrder([...totals].map(([currency, sum]) => [currency, formatExactMinor(sum)]));
  const stated = inOrder(Object.entries(checked.total));
  return total === stated
    ? undefined
    : `the rows are ${total} in total, but the check states ${stated}`;
}

const inOrder = (totals: [currency: string, amount: string][]): string =>
  totals
    .map(([currency, amount]) => `${amount} ${currency}`)
    .toSorted()
    .join(', ');

function whyNotFinished({ confirmed, finished, checked, results }: File): string | undefined {
  if (!confirmed) return 'a file is finished that was not confirmed';
  if (finished) return 'a file is finished twice';
  return results === checked?.rows
    ? undefined
    : `a file is finished with ${results} results of ${checked?.rows} rows`;
}

/** Without a payout: its client's data was erased before, or it could not be created. */
const withoutPayout = ['personal_data_erased', 'internal_error'];
/** What has the row's name is another operation, or a request to cancel one. */
const isOfAnother = 'idempotency_body_mismatch';

/** Applies the result of the next row. @returns what is wrong with it */
function whyWrongResult(
  { shops, entities }: Pick<Context, 'shops' | 'entities'>,
  file: File,
  { merchant_operation_id: name, operation_id: operationId, code }: RowResult,
): string | undefined {
  const row = file.rows?.[file.results];
  file.results += 1;
  if (!file.confirmed) return 'a row has a result before its file is confirmed';
  if (row?.name !== name)
    return `row ${file.results} is ${row?.name}, but its result is of ${name}`;
  const shop = shops.find(file.shopId);
  if (shop && deriveOperationId(shop, name) !== operationId)
    return `the payout of row ${file.results} is not ${operationId}`;
  const { operation, cancelledFirst } = entities.of(operationId);
  if (code !== undefined && withoutPayout.includes(code)) {
    file.unpaid.add(name);
    return isCausedBy(file, operation)
      ? `row ${file.results} failed with ${code}, but its file ordered ${operationId}`
      : undefined;
  }
  // An earlier request may have another card or metadata, and the log can't show which.
  if (code === isOfAnother && (operation || cancelledFirst)) return undefined;
  if (!operation) return `row ${file.results} has a result, but no payout ${operationId} exists`;
  if (operation.type !== 'payout' || orderText(toPayoutOrder(operation)) !== row.order)
    return `row ${file.results} is ${row.order}, and ${operationId} is not`;
  return code === undefined || operation.status === 'declined'
    ? undefined
    : `row ${file.results} failed with ${code}, but ${operationId} is ${operation.status}`;
}

const isCausedBy = ({ confirmationId }: File, operation: OperationFacts | undefined): boolean =>
  confirmationId !== undefined && operation?.causationId === confirmationId;

const toPayoutOrder = ({ clientId, method, amount, currency }: OperationFacts): Order => ({
  client_id: clientId,
  method,
  amount,
  currency,
});
