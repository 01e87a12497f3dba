import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { conditionsOf, listOperations, type OperationFilter } from '../query.ts';
import { searchOperations, type FoundBy as FoundInModel } from '../search.ts';
import type { OperationRow } from '../table.ts';
import { comparedAtMost, endingIn, type Sealed } from './last-four.ts';
import { readTerms, type Terms } from './terms.ts';

/** The field by which an operation was found. */
export type FoundBy = FoundInModel | 'message_id' | 'entry_id' | 'time' | 'last_four';

type Found = {
  operations: { row: OperationRow; by: FoundBy }[];
  /** The id is a shop's. */
  shopId?: string;
  /** There are more than are shown, or more than were compared. */
  more: boolean;
  /** The search is for last four digits. */
  compared: boolean;
};

type Search = {
  line: string;
  filter: OperationFilter;
  zone: string;
  nowMs: number;
  /** Logs that the reader has learned the last digits of an operation's number. */
  saw(operationId: string): void;
  /** Ends the search: the user has left, or it takes too long. */
  signal: AbortSignal;
  /** The shops whose names begin with a text. */
  shopsNamed(text: string): readonly string[];
};

const shown = 50;

/** The longest time for a search, before it begins another query or opens more streams. */
export const searchTimeoutMs = 8_000;

type Sources<DB> = Sealed & { db: Kysely<DB> };

/**
 * Finds operations, of one shop if the filter names it, by what a caller can say about them
 * (`readTerms`), newest first. Everything is found by an index; last four digits are only compared
 * among the other matches.
 */
export async function findOperations<DB>(
  sources: Sources<DB>,
  search: Search,
): Promise<Found | 'too_long'> {
  const { line, zone, nowMs, signal, saw } = search;
  const meanings = readTerms(line, { zone, nowMs });
  const limit = meanings.some(({ lastFour }) => lastFour !== undefined) ? comparedAtMost : shown;
  const read = await readSnapshot(sources.db, async (db) => {
    const own = await byIdOfAnother(db, search);
    const hits: Hits[] = [];
    for (const terms of meanings) {
      const met = await readMeaning(db, terms, { search, limit });
      if (met === 'too_long') return met;
      hits.push({ ...met, lastFour: terms.lastFour });
    }
    return { ...own, hits };
  });
  if (read === 'too_long') return read;
  const byId = new Map(read.operations.map((each) => [each.row.operation_id, each]));
  for (const { operations, lastFour } of read.hits) {
    const left = await compared(sources, { operations, lastFour, signal, saw });
    if (left === 'too_long') return left;
    for (const each of left)
      if (!byId.has(each.row.operation_id)) byId.set(each.row.operation_id, each);
  }
  const all = [...byId.values()];
  return {
    operations: all.slice(0, shown),
    ...(read.shopId !== undefined && { shopId: read.shopId }),
    more: all.length > shown || read.hits.some(({ more }) => more),
    compared: limit === comparedAtMost,
  };
}

/**
 * The matches for one reading of the line, up to the limit for all its alternatives together:
 * comparing numbers opens a stream for each.
 */
async function readMeaning<DB>(
  db: Kysely<DB>,
  terms: Terms,
  { search, limit }: { search: Search; limit: number },
): Promise<Omit<Hits, 'lastFour'> | 'too_long'> {
  const met = new Map<string, Found['operations'][number]>();
  let more = false;
  for (const narrowed of alternatives(terms, search)) {
    if (search.signal.aborted) return 'too_long';
    const one = await readOne(db, narrowed, { filter: search.filter, limit });
    more ||= one.more;
    for (const each of one.operations)
      if (!met.has(each.row.operation_id)) met.set(each.row.operation_id, each);
  }
  const newest = [...met.values()].toSorted(
    (left, right) => Number(right.row.created_at) - Number(left.row.created_at),
  );
  return { operations: newest.slice(0, limit), more: more || newest.length > limit };
}

type Hits = { operations: Found['operations']; more: boolean; lastFour: string | undefined };

/** A text may also be a shop's name, if something else narrows down its operations. */
function alternatives(terms: Terms, { shopsNamed, line }: Search): (Terms & { shopId?: string })[] {
  const { text, ...rest } = terms;
  if (text === undefined || text === line.trim()) return [terms];
  return [terms, ...shopsNamed(text).map((shopId) => ({ ...rest, shopId }))];
}

async function readOne<DB>(
  db: Kysely<DB>,
  { text, amount, from, before, shopId }: Terms & { shopId?: string },
  { filter, limit }: { filter: OperationFilter; limit: number },
): Promise<Omit<Hits, 'lastFour'>> {
  const narrowed: OperationFilter = {
    ...filter,
    ...(shopId !== undefined && { shopId }),
    ...(from !== undefined && { createdFrom: from, createdBefore: before }),
  };
  if (shopId !== undefined && filter.shopId !== undefined && shopId !== filter.shopId)
    return { operations: [], more: false };
  if (text === undefined && amount === undefined) {
    const page = await listOperations(db, { filter: narrowed, limit });
    return {
      operations: page.operations.map((row) => ({ row, by: 'time' })),
      more: page.nextCursor !== null,
    };
  }
  const { hits, more } = await searchOperations(db, { text, amount, filter: narrowed }, limit);
  return { operations: hits, more };
}

async function compared(
  sealed: Sealed,
  hits: Pick<Hits, 'operations' | 'lastFour'> & Pick<Search, 'saw' | 'signal'>,
): Promise<Found['operations'] | 'too_long'> {
  const { operations, lastFour, signal, saw } = hits;
  if (lastFour === undefined) return operations;
  const rows = operations.map(({ row }) => row);
  const ending = await endingIn(sealed, { rows, digits: lastFour, signal, saw });
  if (ending === 'too_long') return ending;
  return ending.map((row) => ({ row, by: 'last_four' }));
}

/** Finds an operation by the id of something that belongs to it, or a shop by its id. */
async function byIdOfAnother<DB>(
  db: Kysely<DB>,
  { line, filter }: Search,
): Promise<Pick<Found, 'operations' | 'shopId'>> {
  const id = line.trim().toLowerCase();
  if (!z.guid().safeParse(id).success) return { operations: [] };
  const { rows } = await sql<OperationRow & { by: FoundBy }>`
    select o.*, found.by from (
      select operation_id, 'message_id' as by from webhooks.message where message_id = ${id} or event_id = ${id}
      union select operation_id::text, 'entry_id' from gateway.suspense where entry_id = ${id}
    ) found join gateway.operations o on o.operation_id = found.operation_id::uuid
    where ${sql.join([...ofReader(filter), sql`true`], sql` and `)}`.execute(db);
  const shops = await sql<{ shop_id: string }>`
    select shop_id from gateway.shops where shop_id = ${id} and ${filter.forMerchants !== true}`.execute(
    db,
  );
  const shopId = shops.rows[0]?.shop_id;
  return {
    operations: rows.map(({ by, ...row }) => ({ row, by })),
    ...(shopId !== undefined && { shopId }),
  };
}

/** An id is exact: of the filter only what the reader may see at all applies. */
const ofReader = ({ shopId, forMerchants }: OperationFilter) =>
  forMerchants ? conditionsOf({ shopId, forMerchants }) : [];
