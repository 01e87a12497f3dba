import { sql } from 'kysely';
import { foreign, own, timeColumn, type CsvQuery } from '#shared/platform/csv/columns.ts';
import { joinConditions, shopName, where } from '../conditions.ts';

type JournalFilter = {
  shopId?: string | undefined;
  currency?: string | undefined;
  postedFrom?: Date | undefined;
  /** Exclusive. */
  postedBefore?: Date | undefined;
  /** Only entries that move the shop's own money. */
  forMerchants?: boolean | undefined;
};

const merchantOperationId = sql<string>`select o.merchant_operation_id from gateway.operations o
  where o.operation_id = listed.operation_id`;

/** Ledger entries in the order of each ledger: what each moves, and the balance after it. */
export const journalCsv = ({
  shopId,
  currency,
  postedFrom,
  postedBefore,
  forMerchants,
}: JournalFilter): CsvQuery => ({
  columns: [
    own('shop_id'),
    foreign('shop_name', shopName),
    own('currency'),
    own('revision'),
    timeColumn('posted_at'),
    own('kind'),
    own('operation_id'),
    foreign('adjustment_id'),
    foreign('reason'),
    own('cause'),
    foreign('provider'),
    own('source_amount'),
    own('source_currency'),
    own('fx_rate'),
    own('to_balance'),
    own('to_reserved'),
    own('to_commission'),
    own('to_provider'),
    own('to_suspense'),
    own('to_external'),
    own('balance_after'),
    own('reserved_after'),
    foreign('actor'),
    own('entry_id'),
    foreign('merchant_operation_id', merchantOperationId),
  ],
  from: sql`from gateway.journal_entries as listed where ${joinConditions([
    ...where(shopId, (id) => sql`shop_id = ${id}`),
    ...where(currency, (name) => sql`currency = ${name}`),
    ...where(postedFrom, (at) => sql`posted_at >= ${at}`),
    ...where(postedBefore, (at) => sql`posted_at < ${at}`),
    ...where(forMerchants, () => sql`(to_balance <> 0 or to_reserved <> 0)`),
  ])} order by listed.shop_id, listed.currency, listed.revision`,
});

/** The columns for merchants: the entry's effect on their money, and the resulting position. */
const ofShop = new Set([
  'shop_id',
  'currency',
  'revision',
  'posted_at',
  'kind',
  'operation_id',
  'source_amount',
  'source_currency',
  'fx_rate',
  'to_balance',
  'to_reserved',
  'to_commission',
  'balance_after',
  'reserved_after',
  'entry_id',
  'merchant_operation_id',
]);

/** The journal for merchants: entries that move the shop's own money. */
export const journalCsvOfShop = (filter: JournalFilter & { shopId: string }): CsvQuery => {
  const { columns, from } = journalCsv({ ...filter, forMerchants: true });
  return { columns: columns.filter(({ name }) => ofShop.has(name)), from };
};
