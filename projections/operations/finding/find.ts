import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { filterConditions, listOperations, type OperationFilter } from '../query.ts';
import { searchOperations, type SearchField as FoundInModel } from '../search.ts';
import type { OperationRow } from '../table.ts';
import { mostCompared, findMatches, type Needle, type SealedLog } from './compare.ts';
import { readTerms, type Terms } from './terms.ts';

/** The field by which an operation was found. */
export type HitField = FoundInModel | 'message_id' | 'entry_id' | 'time' | 'last_four' | 'metadata';

type Hit = { row: OperationRow; by: HitField };

export type FindResult = {
  operations: Hit[];
  /** The id is a shop's. */
  shopId?: string;
  /** There are more than were read. */
  more: boolean;
  /** Not all encrypted values were compared. */
  isPartlyCompared: boolean;
};

export type OperationSearch = {
  line: string;
  filter: OperationFilter;
  zone: string;
  nowMs: number;
  /** Logs that the reader has learned something of an operation's personal data. */
  saw(operationId: string): void;
  /** Ends the search: the user has left, or it takes too long. */
  signal: AbortSignal;
  /** The shops whose names begin with a text. */
  shopsNamed(text: string): readonly string[];
  /** How many are returned at most, 50 unless given. */
  limit?: number;
};

const defaultLimit = 50;

/** How many operations of a search are in its exported file. */
export const exportedAtMost = 1_000;

/** The longest time for a search, before it begins another query or opens more streams. */
export const searchTimeoutMs = 8_000;

type Sources<DB> = SealedLog & { db: Kysely<DB> };

/**
 * Finds operations, of one shop if the filter names it, by what a caller can name of them
 * (`readTerms`), newest first. Encrypted values are only compared among the other matches: last
 * four digits always, metadata if nothing else is found.
 */
export async function findOperations<DB>(
  sources: Sources<DB>,
  search: OperationSearch,
): Promise<FindResult | 'too_long'> {
  const { limit = defaultLimit } = search;
  const meanings = readTerms(search.line, search);
  const own = await readSnapshot(sources.db, (db) => byIdOfAnother(db, search));
  if (own === 'too_long') return own;
  const byWords = await findEach(sources, meanings.map(toLookup), search);
  if (byWords === 'too_long') return byWords;
  const isFound = own.shopId !== undefined || own.operations.length + byWords.hits.length > 0;
  const rest = isFound ? nothing : await findEach(sources, inMetadata(meanings), search);
  if (rest === 'too_long') return rest;
  const all = unique([...own.operations, ...byWords.hits, ...rest.hits]);
  return {
    operations: all.slice(0, limit),
    ...(own.shopId !== undefined && { shopId: own.shopId }),
    more: all.length > limit || byWords.more,
    isPartlyCompared: byWords.isPartlyCompared || rest.isPartlyCompared,
  };
}

/** What the file of a search has. @throws Problem not_ready if the search took too long */
export function requireFound(found: FindResult | 'too_long'): FindResult {
  if (found === 'too_long')
    throw new Problem('not_ready', { detail: 'the search took too long: narrow it' });
  return found;
}

/** The filter of the file of a search. */
export const onlyFound = ({ operations }: FindResult): Pick<OperationFilter, 'operationIds'> => ({
  operationIds: operations.map(({ row }) => row.operation_id),
});

/** Terms that an index has, and what is compared among the operations that match them. */
type Lookup = { terms: Terms; needle?: Needle };

const toLookup = ({ lastFour, ...terms }: Terms): Lookup =>
  lastFour === undefined ? { terms } : { terms, needle: { lastFour } };

/** Shorter texts would be in too many values. */
const shortestInMetadata = 3;

const inMetadata = (meanings: readonly Terms[]): Lookup[] =>
  meanings.flatMap(({ text = '', lastFour, ...terms }) =>
    lastFour === undefined && text.length >= shortestInMetadata
      ? [{ terms, needle: { metadata: text } }]
      : [],
  );

type Hits = { hits: Hit[]; more: boolean; isPartlyCompared: boolean };
const nothing: Hits = { hits: [], more: false, isPartlyCompared: false };

/** Reads what the indexes have in one snapshot, and compares when its connection is free again. */
async function findEach<DB>(
  sources: Sources<DB>,
  lookups: readonly Lookup[],
  search: OperationSearch,
): Promise<Hits | 'too_long'> {
  const read = await readSnapshot(sources.db, async (db) => {
    const met: (Lookup & Candidates)[] = [];
    for (const each of lookups) {
      const limit = each.needle ? mostCompared : (search.limit ?? defaultLimit);
      const candidates = await readMeaning(db, each.terms, { search, limit });
      if (candidates === 'too_long') return candidates;
      met.push({ ...each, ...candidates });
    }
    return met;
  });
  if (read === 'too_long') return read;
  const all: Hits = { ...nothing, hits: [] };
  for (const { hits, more, needle } of read) {
    const matches = needle ? await compare(sources, { hits, needle, search }) : hits;
    if (matches === 'too_long') return matches;
    all.hits.push(...matches);
    if (needle) all.isPartlyCompared ||= more;
    else all.more ||= more;
  }
  return all;
}

async function compare(
  sealed: SealedLog,
  { hits, needle, search }: Pick<Hits, 'hits'> & { needle: Needle; search: OperationSearch },
): Promise<Hit[] | 'too_long'> {
  const rows = hits.map(({ row }) => row);
  const matches = await findMatches(sealed, { ...search, rows, needle });
  if (matches === 'too_long') return matches;
  return matches.map((row) => ({ row, by: 'lastFour' in needle ? 'last_four' : 'metadata' }));
}

type Candidates = Pick<Hits, 'hits' | 'more'>;

/**
 * The matches for one reading of the line, up to the limit for all its alternatives together:
 * comparing numbers opens a stream for each.
 */
async function readMeaning<DB>(
  db: Kysely<DB>,
  terms: Terms,
  { search, limit }: { search: OperationSearch; limit: number },
): Promise<Candidates | 'too_long'> {
  const hits: Hit[] = [];
  let more = false;
  for (const narrowed of alternatives(terms, search)) {
    if (search.signal.aborted) return 'too_long';
    const one = await readOne(db, narrowed, { filter: search.filter, limit });
    more ||= one.more;
    hits.push(...one.hits);
  }
  const newest = unique(hits).toSorted(
    (left, right) => Number(right.row.created_at) - Number(left.row.created_at),
  );
  return { hits: newest.slice(0, limit), more: more || newest.length > limit };
}

/** Each operation once, as it was found first. */
function unique(hits: readonly Hit[]): Hit[] {
  const byId = new Map<string, Hit>();
  for (const hit of hits) if (!byId.has(hit.row.operation_id)) byId.set(hit.row.operation_id, hit);
  return [...byId.values()];
}

/** A text may also be a shop's name, if something else narrows down its operations. */
function alternatives(
  terms: Terms,
  { shopsNamed, line }: OperationSearch,
): (Terms & { shopId?: string })[] {
  const { text, ...rest } = terms;
  if (text === undefined || text === line.trim()) return [terms];
  return [terms, ...shopsNamed(text).map((shopId) => ({ ...rest, shopId }))];
}

async function readOne<DB>(
  db: Kysely<DB>,
  { text, amount, from, before, shopId }: Terms & { shopId?: string },
  { filter, limit }: { filter: OperationFilter; limit: number },
): Promise<Candidates> {
  const narrowed: OperationFilter = {
    ...filter,
    ...(shopId !== undefined && { shopId }),
    ...(from !== undefined && { createdFrom: from, createdBefore: before }),
  };
  if (shopId !== undefined && filter.shopId !== undefined && shopId !== filter.shopId)
    return { hits: [], more: false };
  if (text === undefined && amount === undefined) {
    const page = await listOperations(db, { filter: narrowed, limit });
    return {
      hits: page.operations.map((row) => ({ row, by: 'time' })),
      more: page.nextCursor !== null,
    };
  }
  return searchOperations(db, { text, amount, filter: narrowed }, limit);
}

/** Finds an operation by the id of something that belongs to it, or a shop by its id. */
async function byIdOfAnother<DB>(
  db: Kysely<DB>,
  { line, filter }: OperationSearch,
): Promise<Pick<FindResult, 'operations' | 'shopId'>> {
  const id = line.trim().toLowerCase();
  if (!z.guid().safeParse(id).success) return { operations: [] };
  const { rows } = await sql<OperationRow & { by: HitField }>`
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
  forMerchants ? filterConditions({ shopId, forMerchants }) : [];
