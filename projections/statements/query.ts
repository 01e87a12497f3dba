import { sql, type Kysely, type RawBuilder } from 'kysely';
import { z } from 'zod';
import {
  statementDaySchema,
  type FindingDecision,
  type LineKind,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import type { FindingKind } from '#shared/domain/statements/findings.ts';
import { where } from '../conditions.ts';
import { cursorDecoder, encodeCursor } from '../cursor.ts';
import type { StatementRow } from './tables.ts';

/** One row of the view `gateway.statement_days`. */
export type StatementDay = StatementOf &
  Pick<StatementRow, 'source' | 'imported_at' | 'lines' | 'total_in' | 'total_out'> & {
    confirmed: number;
    findings_open: number;
    findings_closed: number;
    counted_in: string;
    counted_out: string;
    opening_balance: string | null;
    closing_balance: string | null;
    /**
     * What the statement moved, what the ledger moved; how much of the difference is expected, how
     * much findings explain, and what remains.
     */
    statement_moved: string;
    ledger_moved: string;
    explained: string;
    unmatched: string;
    unexplained: string;
  };

/** One row of the view `gateway.statement_findings`. */
export type StatementFinding = StatementOf & {
  finding_id: string;
  finding: FindingKind;
  status: 'open' | 'closed';
  leg_id: string | null;
  line: number | null;
  line_kind: LineKind | null;
  operation_id: string | null;
  attempt: number | null;
  direction: 'in' | 'out' | null;
  amount: string | null;
  counted_amount: string | null;
  completed_at: Date | null;
  decision: FindingDecision | null;
  note: string | null;
  closed_by: string | null;
  closed_at: Date | null;
  /** If the finding is open again: the earlier note. */
  earlier_note: string | null;
  earlier_by: string | null;
  earlier_at: Date | null;
};

export type StatementFilter = {
  provider?: string | undefined;
  account?: string | undefined;
  currency?: string | undefined;
  /** Days, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
};
export type FindingFilter = StatementFilter & {
  finding?: FindingKind | undefined;
  status?: StatementFinding['status'] | undefined;
};

/** The last statement and finding of a page. Without a finding, the statement is done. */
type StatementCursor = { of: StatementOf; findingId?: string | undefined };

/** No row holds U+0000, and PostgreSQL rejects it. */
const cursorText = z
  .string()
  .max(600)
  .refine((text) => text.isWellFormed() && !text.includes('\0'));

type PageRequest = { cursor?: StatementCursor | undefined; limit: number };
type Key = StatementOf & { lines: number };

/** How many lines are matched by one query; a larger statement gets its own. */
const linesAtOnce = 20_000;
/** A page ends after this time, however short it is; its cursor continues there. */
const pageMs = 4_000;
const keysAtOnce = 400;

/** Statements, newest day first: how each matches. */
export async function listStatementDays<DB>(
  db: Kysely<DB>,
  { filter, cursor, limit }: PageRequest & { filter: StatementFilter },
): Promise<{ days: StatementDay[]; nextCursor: string | null }> {
  const keys = await readStatementKeys(db, {
    conditions: [...statementConditions(filter), ...from(cursor)],
    limit: limit + 1,
  });
  const days: StatementDay[] = [];
  const startedAt = performance.now();
  for (const chunk of chunks(keys.slice(0, limit))) {
    days.push(...(await readDays(db, chunk)));
    if (performance.now() - startedAt > pageMs) break;
  }
  const last = days.at(-1);
  return {
    days,
    nextCursor: last && days.length < keys.length ? encodeStatementCursor({ of: last }) : null,
  };
}

/** One statement; undefined if none was imported. */
export async function findStatementDay<DB>(
  db: Kysely<DB>,
  of: StatementOf,
): Promise<StatementDay | undefined> {
  return (await readDays(db, [of]))[0];
}

/** Findings, newest day first, within a day by kind. */
export async function listFindings<DB>(
  db: Kysely<DB>,
  { filter, cursor, limit }: PageRequest & { filter: FindingFilter },
): Promise<{ findings: StatementFinding[]; nextCursor: string | null }> {
  const findings: StatementFinding[] = [];
  const startedAt = performance.now();
  let at = cursor;
  for (;;) {
    const conditions = [...statementConditions(filter), ...from(at)];
    const keys = await readStatementKeys(db, { conditions, limit: keysAtOnce });
    for (const chunk of chunks(keys)) {
      findings.push(
        ...(await readFindings(db, { keys: chunk, filter, cursor: at, limit: limit + 1 })),
      );
      const last = findings[limit - 1];
      if (last && findings.length > limit) {
        const nextCursor = encodeStatementCursor({ of: last, findingId: last.finding_id });
        return { findings: findings.slice(0, limit), nextCursor };
      }
      const of = chunk.at(-1);
      if (of) at = { of };
      if (at && performance.now() - startedAt > pageMs)
        return { findings, nextCursor: encodeStatementCursor(at) };
    }
    if (keys.length < keysAtOnce) return { findings, nextCursor: null };
  }
}

/** How many findings of each kind a statement has. */
export async function countFindings<DB>(
  db: Kysely<DB>,
  of: StatementOf,
): Promise<{ finding: FindingKind; open: number; closed: number }[]> {
  const { rows } = await sql<{ finding: FindingKind; open: number; closed: number }>`
    select finding, count(*) filter (where status = 'open')::int as open,
      count(*) filter (where status = 'closed')::int as closed
    from gateway.statement_findings where ${among([of])} group by 1 order by 1`.execute(db);
  return rows;
}

/** One finding as it is now; undefined if there is none with that id. */
export async function findFinding<DB>(
  db: Kysely<DB>,
  of: StatementOf,
  findingId: string,
): Promise<StatementFinding | undefined> {
  // PostgreSQL's text can't hold it, so no finding has it.
  if (findingId.includes('\0')) return undefined;
  const { rows } = await sql<StatementFinding>`
    select ${findingColumns} from gateway.statement_findings
    where ${among([of])} and finding_id = ${findingId}`.execute(db);
  return rows[0];
}

const findingColumns = sql`
  provider, account, currency, day::text as day, finding_id, finding, status,
  leg_id, line, line_kind, operation_id, attempt, direction, amount, counted_amount, completed_at,
  decision, note, closed_by, closed_at, earlier_note, earlier_by, earlier_at`;

async function readDays<DB>(db: Kysely<DB>, keys: readonly StatementOf[]): Promise<StatementDay[]> {
  const { rows } = await sql<StatementDay>`
    select provider, account, currency, day::text as day, source, imported_at, lines, total_in, total_out,
      confirmed::int, findings_open::int, findings_closed::int, counted_in, counted_out, opening_balance,
      closing_balance, statement_moved, ledger_moved, explained, unmatched, unexplained
    from gateway.statement_days d where ${among(keys)}
    order by d.day desc, provider desc, account desc, currency desc`.execute(db);
  return rows;
}

async function readFindings<DB>(
  db: Kysely<DB>,
  {
    keys,
    filter,
    cursor,
    limit,
  }: PageRequest & { keys: readonly StatementOf[]; filter: FindingFilter },
): Promise<StatementFinding[]> {
  const conditions = [among(keys)];
  if (filter.finding !== undefined) conditions.push(sql`finding = ${filter.finding}`);
  if (filter.status !== undefined) conditions.push(sql`status = ${filter.status}`);
  if (cursor?.findingId !== undefined)
    conditions.push(
      sql`(not ${among([cursor.of])} or finding_id collate "C" > ${cursor.findingId})`,
    );
  const { rows } = await sql<StatementFinding>`
    select ${findingColumns} from gateway.statement_findings f where ${sql.join(conditions, sql` and `)}
    order by f.day desc, provider desc, account desc, currency desc, finding_id collate "C" limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** The keys of statements that match, newest day first. */
async function readStatementKeys<DB>(
  db: Kysely<DB>,
  { conditions, limit }: { conditions: readonly RawBuilder<unknown>[]; limit: number },
): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select provider, account, currency, day::text as day, lines from gateway.statements s
    where ${sql.join([sql`true`, ...conditions], sql` and `)}
    order by s.day desc, provider desc, account desc, currency desc limit ${limit}`.execute(db);
  return rows;
}

/** Groups statements until they have many lines. */
function* chunks(keys: readonly Key[]): Generator<Key[]> {
  let chunk: Key[] = [];
  let lines = 0;
  for (const key of keys) {
    if (chunk.length > 0 && lines + key.lines > linesAtOnce) {
      yield chunk;
      [chunk, lines] = [[], 0];
    }
    chunk.push(key);
    lines += key.lines;
  }
  if (chunk.length > 0) yield chunk;
}

/** The filter's conditions on a row of statements. */
export const statementConditions = (filter: StatementFilter): RawBuilder<unknown>[] => [
  ...where(filter.provider, (provider) => sql`provider = ${provider}`),
  ...where(filter.account, (account) => sql`account = ${account}`),
  ...where(filter.currency, (currency) => sql`currency = ${currency}`),
  ...where(filter.from, (day) => sql`day >= ${day}::date`),
  ...where(filter.to, (day) => sql`day <= ${day}::date`),
];

const statementKeySql = ({ day, provider, account, currency }: StatementOf) =>
  sql`(${day}::date, ${provider}, ${account}, ${currency})`;
const among = (keys: readonly StatementOf[]) =>
  sql`(day, provider, account, currency) in (${sql.join(keys.map(statementKeySql))})`;

/** After the cursor's statement, or at it if more of its findings follow. */
const from = (cursor: StatementCursor | undefined): RawBuilder<unknown>[] =>
  where(cursor, ({ of, findingId }) => {
    const how = sql.raw(findingId === undefined ? '<' : '<=');
    return sql`(day, provider, account, currency) ${how} ${statementKeySql(of)}`;
  });

const encodeStatementCursor = ({ of, findingId }: StatementCursor): string =>
  encodeCursor([of.day, of.provider, of.account, of.currency, findingId ?? null]);

export const decodeStatementCursor = cursorDecoder(
  z
    .tuple([statementDaySchema, cursorText, cursorText, cursorText, cursorText.nullable()])
    .transform(([day, provider, account, currency, findingId]) => ({
      of: { day, provider, account, currency },
      findingId: findingId ?? undefined,
    })),
);
