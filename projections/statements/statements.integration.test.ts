import { sql, type Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  statementStream,
  type StatementEvent,
  type StoredLine,
} from '#shared/domain/statements/events.ts';
import { rebuild } from '../rebuild/rebuild.ts';
import { append } from '../testing/append.ts';
import { sampleId, writeSampleLog } from '../testing/sample-log.ts';
import { hasReached, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import {
  countFindings,
  decodeStatementCursor,
  findFinding,
  listFindings,
  listStatementDays,
} from './query.ts';
import { statementsReadModel } from './read-model.ts';

// The day of the sample's transfers: two payments and late money.
const of = { provider: 'sandbox', account: 'default', currency: 'RUB', day: '2026-01-31' };
const line = (number: number, legId: string, more: Partial<StoredLine> = {}): StoredLine => ({
  line: number,
  kind: 'transfer',
  direction: 'in',
  leg_id: legId,
  amount: '100.00',
  completed_at: '2026-01-31T12:00:05.000Z',
  ...more,
});

const linesRead = (number: number, lines: StoredLine[]): StatementEvent => ({
  type: 'StatementLinesRead',
  data: { ...of, import: number, lines },
});
const imported = (number: number, lines: number): StatementEvent => ({
  type: 'StatementImported',
  data: {
    ...of,
    import: number,
    source: 'provider',
    lines,
    total_in: '200.00',
    total_out: '3.00',
    opening_balance: '0.00',
    closing_balance: '197.00',
    digest: String(number),
  },
});
const closed = (
  finding: string,
  legId: string,
  amounts: Record<string, string> = {},
): StatementEvent => ({
  type: 'StatementFindingClosed',
  data: {
    ...of,
    finding_id: `${finding}:${legId}`,
    finding,
    decision: 'explained',
    note: 'as agreed',
    ...amounts,
  },
});

describe('statements', () => {
  const own = useOwnEventStore();

  /** Before an import, as the tables that lines are matched with are analyzed with it. */
  async function useTables() {
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store });
    await eventually('ready', () => projections.notReady() === undefined);
    return db;
  }
  const untilRead = (db: Kysely<unknown>, end: bigint) =>
    eventually('read', () => hasReached(db, end, 'statements'));

  const figures = async (db: Kysely<unknown>) => {
    const { days } = await listStatementDays(db, { filter: { provider: 'sandbox' }, limit: 10 });
    return days.map(({ lines, confirmed, findings_open, findings_closed, counted_in }) => {
      return { lines, confirmed, findings_open, findings_closed, counted_in };
    });
  };
  const listed = async (db: Kysely<unknown>, limit = 50) => {
    const { findings, nextCursor } = await listFindings(db, { filter: {}, limit });
    return { ids: findings.map(({ finding_id: id, status }) => `${id} ${status}`), nextCursor };
  };

  it('use the newest complete import, and closed findings stay closed (R22.12)', async () => {
    await writeSampleLog(own.store);
    const stream = statementStream(of);
    const first = [
      line(1, 'l1', { operation_id: sampleId(1) }),
      line(2, 'stranger'),
      line(3, 'f1', { kind: 'fee', direction: 'out', amount: '3.00' }),
    ];
    const end = await append(own.store, stream, {
      events: [
        linesRead(1, first.slice(0, 2)),
        linesRead(1, first.slice(2)),
        imported(1, 3),
        closed('fee', 'f1'),
      ],
      actor: 'operator:olga',
    });
    const db = await useTables();
    await untilRead(db, end);
    const late = `not_in_statement.transfer@${sampleId(4)}:late-1 open`;
    const missing = [`not_in_statement.transfer@${sampleId(2)}:l2 open`, late];
    const all = ['fee:f1 closed', ...missing, 'unknown_line:stranger open'];
    await expect.poll(() => listed(db)).toEqual({ ids: all, nextCursor: null });
    expect(await figures(db)).toEqual([
      { lines: 3, confirmed: 1, findings_open: 3, findings_closed: 1, counted_in: '200.00' },
    ]);
    await pagesAreWhole(db, all);

    // An incomplete import changes nothing.
    const second = [...first.slice(0, 1), line(2, 'l2', { amount: '40.00' }), ...first.slice(2)];
    const incomplete = await append(own.store, stream, {
      events: [linesRead(2, second)],
      after: 3,
    });
    await untilRead(db, incomplete);
    expect((await listed(db)).ids).toEqual(all);
    const whole = await append(own.store, stream, { events: [imported(2, 3)], after: 4 });
    await untilRead(db, whole);
    expect((await listed(db)).ids).toEqual(['fee:f1 closed', late]);
    expect(await findFinding(db, of, 'fee:f1')).toMatchObject({
      ...of,
      line: 3,
      amount: '3.00',
      decision: 'explained',
      note: 'as agreed',
      closed_by: 'operator:olga',
    });
    expect(await findFinding(db, of, 'fee:f2')).toBeUndefined();
    expect(await countFindings(db, of)).toEqual([
      { finding: 'fee', open: 0, closed: 1 },
      { finding: 'not_in_statement', open: 1, closed: 0 },
    ]);

    const report = await rebuild({
      db,
      store: own.store,
      model: statementsReadModel,
      logger,
      swap: false,
    });
    expect(report.comparison).toMatchObject({ different: 0 });
    await db.connection().execute(async (session) => {
      await sql`set role gateway_analyst`.execute(session);
      const { rows } =
        await sql`select ledger_position, difference from gateway.statement_days`.execute(session);
      // The sample's entries name no provider.
      expect(rows).toEqual([{ ledger_position: '0.00', difference: '197.00' }]);
      await sql`reset role`.execute(session);
    });
  });

  it('are analyzed by PostgreSQL once a large day is imported', async () => {
    const large = { ...of, provider: 'bank', currency: 'USD' };
    const lines = Array.from({ length: 1_000 }, (_, index) => line(index + 1, `large-${index}`));
    const db = await useTables();
    const events = [
      linesRead(1, lines.slice(0, 500)),
      linesRead(1, lines.slice(500)),
      imported(1, lines.length),
    ];
    const end = await append(own.store, statementStream(large), {
      events: events.map(({ type, data }) => ({ type, data: { ...data, ...large } })),
    });
    await untilRead(db, end);
    const { rows } = await sql<{ estimated: number }>`
      select reltuples::int as estimated from pg_class where oid = 'gateway.statement_lines'::regclass`.execute(
      db,
    );
    expect(rows[0]?.estimated).toBeGreaterThanOrEqual(lines.length);
    // Including the tables that they are matched with.
    const { rows: uncounted } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'gateway'::regnamespace and reltuples < 0
        and relname in ('operations', 'legs', 'returned_legs', 'suspense', 'approved_money', 'journal_entries')`.execute(
      db,
    );
    expect(uncounted).toEqual([]);
  });

  it('reopen a finding when its amount changes, until a note has that amount (R22.8)', async () => {
    const other = { ...of, provider: 'bank' };
    const stream = statementStream(other);
    const named = (events: StatementEvent[]) =>
      events.map(({ type, data }) => ({ type, data: { ...data, ...other } }));
    const fee = (number: number, amount: string) =>
      named([
        linesRead(number, [line(1, 'f1', { kind: 'fee', direction: 'out', amount })]),
        imported(number, 1),
      ]);
    const db = await useTables();
    let after = -1;
    const status = async (events: ReturnType<typeof named>) => {
      const end = await append(own.store, stream, { events, after });
      after += events.length;
      await untilRead(db, end);
      const fees = await findFinding(db, other, 'fee:f1');
      return `${fees?.status} ${fees?.amount}, ${fees?.note ?? 'no note'}`;
    };
    expect(await status(fee(1, '1.00'))).toBe('open 1.00, no note');
    const closing = named([closed('fee', 'f1', { amount: '1.00' })]);
    expect(await status(closing)).toBe('closed 1.00, as agreed');
    expect(await status(fee(2, '1000.00'))).toBe('open 1000.00, no note');
    const { earlier_note: earlier, earlier_by: by } =
      (await findFinding(db, other, 'fee:f1')) ?? {};
    expect([earlier, by]).toEqual(['as agreed', expect.stringMatching(/./)]);
    expect((await countFindings(db, other))[0]).toEqual({ finding: 'fee', open: 1, closed: 0 });
    expect(await status(fee(3, '1.00'))).toBe('closed 1.00, as agreed');
    expect((await findFinding(db, other, 'fee:f1'))?.earlier_note).toBeNull();
    // The counted amount is part of the finding too.
    const counted = named([closed('fee', 'f1', { amount: '1.00', counted: '2.00' })]);
    expect(await status(counted)).toBe('open 1.00, no note');
    // An old note does not contain the amount.
    expect(await status(named([closed('fee', 'f1')]))).toBe('closed 1.00, as agreed');
    expect(await status(fee(4, '1000.00'))).toBe('closed 1000.00, as agreed');
  });

  /** Asserts that pages of one finding add up to the same list. */
  async function pagesAreWhole(db: Kysely<unknown>, all: readonly string[]): Promise<void> {
    const ids: string[] = [];
    let cursor: ReturnType<typeof decodeStatementCursor>;
    do {
      const page = await listFindings(db, { filter: {}, cursor, limit: 1 });
      ids.push(...page.findings.map(({ finding_id: id, status }) => `${id} ${status}`));
      cursor = page.nextCursor === null ? undefined : decodeStatementCursor(page.nextCursor);
    } while (cursor);
    expect(ids).toEqual(all);
  }
});
