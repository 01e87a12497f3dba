import { sql, type Kysely, type RawBuilder } from 'kysely';
import { storableText } from '../rows/upsert.ts';
import { conditionsOf, type OperationFilter } from './query.ts';
import { withReturns } from './returned.ts';
import type { OperationRow } from './table.ts';

/** The field by which a search found an operation. */
export type FoundBy =
  | 'operation_id'
  | 'merchant_operation_id'
  | 'client_id'
  | 'provider_reference'
  | 'leg_id'
  | 'receipt_id'
  | 'amount';

export type SearchTerms = {
  /**
   * The first characters of a gateway or merchant id, or a whole client id, provider reference, leg
   * id or receipt id.
   */
  text?: string | undefined;
  /** The requested amount, or the amount that came. */
  amount?: string | undefined;
  filter: OperationFilter;
};

type Hit = { row: OperationRow; by: FoundBy };

/** `more`: there are more hits than returned, or more candidates than were checked. */
type Hits = { hits: Hit[]; more: boolean };

/** At most this many ids that begin with the text are checked, newest first. */
const maxCandidates = 1_000;

type Arm = { by: FoundBy; query: RawBuilder<{ operation_id: string }> };

/**
 * Operations that match a text or an amount, newest first. Each way to find one is a query of its
 * own, answered by one index: no table is scanned, however few matches there are.
 */
export async function searchOperations<DB>(
  db: Kysely<DB>,
  terms: SearchTerms,
  limit: number,
): Promise<Hits> {
  const hits = new Map<string, Hit>();
  let more = false;
  for (const { by, query } of armsOf(terms, limit)) {
    const { rows } = await query.execute(db);
    const ids = rows.map(({ operation_id: id }) => id).filter((id) => !hits.has(id));
    more ||= rows.length >= maxCandidates || (by === 'amount' && rows.length > limit);
    for (const row of await rowsOf(db, { ids, terms, limit: limit + 1 }))
      hits.set(row.operation_id, { row, by });
  }
  const sorted = [...hits.values()].toSorted(
    (left, right) => Number(right.row.created_at) - Number(left.row.created_at),
  );
  return { hits: sorted.slice(0, limit), more: more || sorted.length > limit };
}

/** The queries that find ids; other conditions are only checked on the few rows found. */
export function armsOf({ text, amount, filter }: SearchTerms, limit: number): Arm[] {
  const arms: Arm[] = [];
  if (text !== undefined) {
    const range = rangeOfIds(text);
    if (range) arms.push({ by: 'operation_id', query: byOwnId(range, filter) });
    arms.push(...byText(storableText(text), { amount, filter }, limit));
  } else if (amount !== undefined)
    arms.push({ by: 'amount', query: byAmount(amount, filter, limit) });
  return arms;
}

const operations = sql`gateway.operations`;

function byOwnId(
  [first, last]: readonly [string, string],
  filter: OperationFilter,
): RawBuilder<{ operation_id: string }> {
  return sql`select operation_id::text from ${operations}
    where operation_id between ${first}::uuid and ${last}::uuid${andOfShop(filter)} order by operation_id limit ${maxCandidates}`;
}

/** Otherwise ids of other shops would use up the limit. */
const andOfShop = ({ shopId }: OperationFilter): RawBuilder<unknown> =>
  shopId === undefined ? sql`` : sql` and shop_id = ${shopId}`;

function byText(text: string, otherTerms: SearchTerms, limit: number): Arm[] {
  // The largest character: in byte order, nothing that begins with the text comes after it.
  const end = `${text}\u{10FFFF}`;
  const ofClient = newestOfShops([sql`client_id = ${text}`, ...restOf(otherTerms)], limit);
  const having = (
    table: RawBuilder<unknown>,
    column: 'leg_id' | 'receipt_id' | 'provider_reference',
  ) => ({
    by: column,
    query: sql<{ operation_id: string }>`select operation_id::text from ${table}
      where ${sql.ref(column)} = ${text} order by ${sql.ref(column)} limit ${maxCandidates}`,
  });
  return [
    {
      by: 'merchant_operation_id',
      query: sql`select operation_id::text from ${operations}
        where merchant_operation_id >= ${text} and merchant_operation_id < ${end}${andOfShop(otherTerms.filter)}
        order by merchant_operation_id desc limit ${maxCandidates}`,
    },
    { by: 'client_id', query: ofClient },
    // Merchants don't see which provider an operation went to.
    ...(otherTerms.filter.forMerchants ? [] : [having(operations, 'provider_reference')]),
    having(sql`gateway.legs`, 'leg_id'),
    having(sql`gateway.uploaded_receipts`, 'receipt_id'),
  ];
}

function byAmount(
  amount: string,
  filter: OperationFilter,
  limit: number,
): RawBuilder<{ operation_id: string }> {
  const narrowed = conditionsOf(filter);
  const expected = newestOfShops([sql`expected_amount = ${amount}`, ...narrowed], limit);
  const differs = sql`actual_amount <> expected_amount and actual_amount <> 0`;
  const other = newestOfShops([sql`actual_amount = ${amount}`, differs, ...narrowed], limit);
  return sql`(${expected}) union (${other})`;
}

/**
 * The newest of each shop, because the indexes begin with the shop. The shops come from the index
 * itself, one step each.
 */
function newestOfShops(
  conditions: readonly RawBuilder<unknown>[],
  limit: number,
): RawBuilder<{ operation_id: string }> {
  return sql`with recursive shops (id) as (
      (select shop_id from ${operations} order by shop_id limit 1)
      union all
      select (select shop_id from ${operations} where shop_id > shops.id order by shop_id limit 1)
      from shops where shops.id is not null
    )
    select newest.operation_id::text from shops, lateral (
      select operation_id, created_at from ${operations} where shop_id = shops.id and ${sql.join(conditions, sql` and `)}
      order by created_at desc, operation_id desc limit ${limit + 1}
    ) newest where shops.id is not null order by newest.created_at desc limit ${limit + 1}`;
}

/** The first and last id that begin with the text, with or without dashes. It needs four digits. */
function rangeOfIds(text: string): readonly [string, string] | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{4,32}$/.test(digits)) return undefined;
  return [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
}

async function rowsOf<DB>(
  db: Kysely<DB>,
  { ids, terms, limit }: { ids: readonly string[]; terms: SearchTerms; limit: number },
): Promise<OperationRow[]> {
  if (ids.length === 0) return [];
  // By primary key first: for a query ordered by time, the planner might scan all operations.
  const { rows } = await sql<OperationRow>`
    with found as materialized (
      select * from ${operations}
      where operation_id = any(${ids}::uuid[]) and ${sql.join([...restOf(terms), sql`true`], sql` and `)}
    )
    select * from found order by created_at desc, operation_id desc limit ${limit}`.execute(db);
  return withReturns(db, rows);
}

/** The conditions besides the text. */
const restOf = ({ amount, filter }: SearchTerms): RawBuilder<boolean>[] => [
  ...conditionsOf(filter),
  ...(amount === undefined
    ? []
    : [sql<boolean>`(expected_amount = ${amount} or actual_amount = ${amount})`]),
];
