import { sql, type Kysely, type RawBuilder } from 'kysely';
import { storableText } from '../rows/upsert.ts';
import { filterConditions, type OperationFilter } from './query.ts';
import { withReturns } from './returned.ts';
import type { OperationRow } from './table.ts';

/** The field by which a search found an operation. */
export type SearchField =
  | 'operation_id'
  | 'merchant_operation_id'
  | 'client_id'
  | 'provider_reference'
  | 'leg_id'
  | 'receipt_id'
  | 'amount'
  | 'late_money';

export type SearchTerms = {
  /**
   * The first characters of a gateway or merchant id, or a whole client id, provider reference, leg
   * id or receipt id, in any case.
   */
  text?: string | undefined;
  /** The amount requested, received, or, without a text, received after the end. */
  amount?: string | undefined;
  filter: OperationFilter;
};

type Hit = { row: OperationRow; by: SearchField };

/** `more`: there are more hits than returned, or more candidates than were checked. */
type Hits = { hits: Hit[]; more: boolean };

/** At most this many ids that begin with the text are checked, newest first. */
const maxCandidates = 1_000;

type Arm = {
  by: SearchField;
  query: RawBuilder<{ operation_id: string }>;
  /** What the rows found still have to meet. */
  rest: readonly RawBuilder<boolean>[];
};

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
  for (const { by, query, rest } of searchArms(terms, limit)) {
    const { rows } = await query.execute(db);
    const ids = rows.map(({ operation_id: id }) => id).filter((id) => !hits.has(id));
    more ||= rows.length >= maxCandidates || (by === 'amount' && rows.length > limit);
    for (const row of await readRowsById(db, { ids, rest, limit: limit + 1 }))
      hits.set(row.operation_id, { row, by });
  }
  const sorted = [...hits.values()].toSorted(
    (left, right) => Number(right.row.created_at) - Number(left.row.created_at),
  );
  return { hits: sorted.slice(0, limit), more: more || sorted.length > limit };
}

/** The queries that find ids; other conditions are only checked on the few rows found. */
export function searchArms(terms: SearchTerms, limit: number): Arm[] {
  const { text, amount, filter } = terms;
  const rest = filterWithoutText(terms);
  if (text !== undefined) {
    const range = rangeOfIds(text);
    const byId = range ? [{ by: 'operation_id', query: byOwnId(range, filter) } as const] : [];
    const arms = [...byId, ...byText(storableText(text), { amount, filter }, limit)];
    return arms.map((arm) => ({ ...arm, rest }));
  }
  if (amount === undefined) return [];
  return [
    { by: 'amount', query: byAmount(amount, filter, limit), rest },
    { by: 'late_money', query: byLateMoney(amount, filter), rest: filterConditions(filter) },
  ];
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

function byText(text: string, otherTerms: SearchTerms, limit: number): Omit<Arm, 'rest'>[] {
  const start = inLowerCase(text);
  // The largest character: in byte order, nothing that begins with the text comes after it.
  const end = `${start}\u{10FFFF}`;
  const cases = spellings(text);
  const ofClient = cases.map(
    (spelling) =>
      sql`(${newestOfShops([sql`client_id = ${spelling}`, ...filterWithoutText(otherTerms)], limit)})`,
  );
  const having = (
    table: RawBuilder<unknown>,
    column: 'leg_id' | 'receipt_id' | 'provider_reference',
  ) => ({
    by: column,
    query: sql<{ operation_id: string }>`select operation_id::text from ${table}
      where ${sql.ref(column)} = any(${cases}) order by ${sql.ref(column)} limit ${maxCandidates}`,
  });
  return [
    {
      by: 'merchant_operation_id',
      query: sql`select operation_id::text from ${operations}
        where lower(merchant_operation_id) >= ${start} and lower(merchant_operation_id) < ${end}${andOfShop(otherTerms.filter)}
        order by lower(merchant_operation_id) desc limit ${maxCandidates}`,
    },
    { by: 'client_id', query: sql`${sql.join(ofClient, sql` union `)}` },
    // Merchants don't see which provider an operation went to.
    ...(otherTerms.filter.forMerchants ? [] : [having(operations, 'provider_reference')]),
    having(sql`gateway.legs`, 'leg_id'),
    having(sql`gateway.uploaded_receipts`, 'receipt_id'),
  ];
}

/** As PostgreSQL's `lower` in byte order, which only knows Latin letters. */
const inLowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The usual cases of a text, where no index ignores the case: `abc` for `ABC`. */
function spellings(text: string): string[] {
  const lower = text.toLowerCase();
  const capitalised = `${lower.slice(0, 1).toUpperCase()}${lower.slice(1)}`;
  return [...new Set([text, lower, text.toUpperCase(), capitalised])];
}

function byAmount(
  amount: string,
  filter: OperationFilter,
  limit: number,
): RawBuilder<{ operation_id: string }> {
  const narrowed = filterConditions(filter);
  const expected = newestOfShops([sql`expected_amount = ${amount}`, ...narrowed], limit);
  const differs = sql`actual_amount <> expected_amount and actual_amount <> 0`;
  const other = newestOfShops([sql`actual_amount = ${amount}`, differs, ...narrowed], limit);
  return sql`(${expected}) union (${other})`;
}

/** Support also searches for money that came after the end. */
const byLateMoney = (
  amount: string,
  filter: OperationFilter,
): RawBuilder<{ operation_id: string }> =>
  sql`select operation_id::text from gateway.suspense
    where kind = 'late_money' and amount = ${amount}${andOfShop(filter)}
    order by received_at desc limit ${maxCandidates}`;

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

async function readRowsById<DB>(
  db: Kysely<DB>,
  { ids, rest, limit }: { ids: readonly string[]; limit: number } & Pick<Arm, 'rest'>,
): Promise<OperationRow[]> {
  if (ids.length === 0) return [];
  // By primary key first: for a query ordered by time, the planner might scan all operations.
  const { rows } = await sql<OperationRow>`
    with found as materialized (
      select * from ${operations}
      where operation_id = any(${ids}::uuid[]) and ${sql.join([...rest, sql`true`], sql` and `)}
    )
    select * from found order by created_at desc, operation_id desc limit ${limit}`.execute(db);
  return withReturns(db, rows);
}

/** The conditions besides the text. */
const filterWithoutText = ({ amount, filter }: SearchTerms): RawBuilder<boolean>[] => [
  ...filterConditions(filter),
  ...(amount === undefined
    ? []
    : [sql<boolean>`(expected_amount = ${amount} or actual_amount = ${amount})`]),
];
