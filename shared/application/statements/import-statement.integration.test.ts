import { describe, expect, it } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import {
  decodeStatementEvent,
  statementStream,
  type StoredLine,
} from '#shared/domain/statements/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { closeStatementFinding, type CloseStatementFinding } from './close-finding.ts';
import { importStatement, type StatementToImport } from './import-statement.ts';
import { readStatementState } from './read-state.ts';

// The tests use today's date.
await avoidMidnight();

const store = storeForFile();

const origin = { actor: 'service:test', correlationId: 'test' };
let days = 0;
const newDay = () => {
  const day = new Date(Date.UTC(2026, 0, (days += 1))).toISOString().slice(0, 10);
  return { provider: 'bank', account: `import-${process.pid}`, currency: 'RUB', day };
};
const linesOf = (count: number): StoredLine[] =>
  Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    kind: 'transfer',
    direction: index % 3 === 0 ? 'out' : 'in',
    leg_id: `leg-${index}`,
    amount: '1.50',
    completed_at: '2026-01-31T12:00:00.000Z',
  }));
const statement = (count: number, change: Partial<StatementToImport> = {}): StatementToImport => ({
  of: newDay(),
  source: 'provider',
  lines: linesOf(count),
  openingBalance: '0.00',
  closingBalance: '0.00',
  ...change,
});
const events = async (of: StatementToImport['of']) =>
  (await store.read(statementStream(of))).map((stored) => decodeStatementEvent(stored));
const storedLines = async (of: StatementToImport['of'], number: number) =>
  (await events(of)).flatMap(({ type, data }) =>
    type === 'StatementLinesRead' && data.import === number ? data.lines : [],
  );

describe('a statement import', () => {
  it('stores all lines, and takes effect once complete; a repeat adds nothing (R22.2)', async () => {
    const input = statement(1_203);
    expect(await importStatement({ store, origin }, input)).toEqual({
      outcome: 'imported',
      import: 1,
      lines: 1_203,
    });
    expect(await storedLines(input.of, 1)).toEqual(input.lines);
    expect((await events(input.of)).at(-1)).toMatchObject({
      type: 'StatementImported',
      data: {
        import: 1,
        lines: 1_203,
        total_in: '1203.00',
        total_out: '601.50',
        opening_balance: '0.00',
      },
    });
    const unchanged = { outcome: 'unchanged', import: 1 };
    expect(await importStatement({ store, origin }, input)).toMatchObject(unchanged);
  });

  it.each([0, 1, 3])('has no effect if it is aborted after %i appends (R22.2)', async (appends) => {
    const input = statement(1_300);
    let left = appends;
    const failingStore: Pick<EventStore, 'read' | 'append'> = {
      read: store.read,
      append: async (request) => {
        if (left === 0) throw new Error('killed');
        left -= 1;
        return store.append(request);
      },
    };
    await expect(importStatement({ store: failingStore, origin }, input)).rejects.toThrow('killed');
    expect((await readStatementState(store, input.of)).imported).toBeUndefined();
    const again = await importStatement({ store, origin }, input);
    const number = appends === 0 ? 1 : 2;
    expect(again).toEqual({ outcome: 'imported', import: number, lines: 1_300 });
    expect(await storedLines(input.of, number)).toEqual(input.lines);
  });

  it.each([
    ['day_not_over', { day: new Date().toISOString().slice(0, 10) }],
    ['name_invalid', { account: 'a.b' }],
    ['name_invalid', { provider: 'a.b' }],
  ])('is refused: %s (R22.9)', async (code, change) => {
    const of = { ...newDay(), ...change };
    expect(await importStatement({ store, origin }, statement(1, { of }))).toEqual({
      outcome: 'refused',
      code,
    });
    expect(await events(of)).toEqual([]);
  });

  it('stops between two appends on the abort signal, without effect (R22.2)', async () => {
    const input = statement(1_300);
    const stop = new AbortController();
    const stoppingStore: Pick<EventStore, 'read' | 'append'> = {
      read: store.read,
      append: async (request) => {
        stop.abort();
        return store.append(request);
      },
    };
    const importing = { store: stoppingStore, origin, signal: stop.signal };
    expect(await importStatement(importing, input)).toMatchObject({ outcome: 'undecided' });
    expect((await events(input.of)).map(({ type }) => type)).toEqual(['StatementLinesRead']);
    expect(await importStatement({ store, origin }, input)).toMatchObject({
      outcome: 'imported',
      import: 2,
    });
  });

  it('runs once for two concurrent requests (R22.2)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const input = statement(1_600);
      const both = await Promise.all([1, 2].map(() => importStatement({ store, origin }, input)));
      const outcomes = both.map(({ outcome }) => outcome).toSorted();
      expect(outcomes.filter((outcome) => outcome === 'imported')).toHaveLength(1);
      expect(['busy', 'unchanged']).toContain(outcomes.find((outcome) => outcome !== 'imported'));
      const ends = (await events(input.of)).filter(({ type }) => type === 'StatementImported');
      expect(ends).toHaveLength(1);
      expect(
        await storedLines(
          input.of,
          ends[0]?.data && 'import' in ends[0].data ? ends[0].data.import : 0,
        ),
      ).toEqual(input.lines);
    }
  });
});

describe('closing a finding', () => {
  const fee = { kind: 'fee', amount: '3.00' } as const;
  const close = (of: StatementToImport['of'], change: Partial<CloseStatementFinding> = {}) =>
    closeStatementFinding(
      { store, origin },
      {
        of,
        findingId: 'fee:f',
        decision: 'explained',
        note: 'the tariff',
        finding: fee,
        ...change,
      },
    );

  it('is recorded once, across later imports (R22.8)', async () => {
    const input = statement(1_203);
    await importStatement({ store, origin }, input);
    expect(await close(input.of)).toEqual({ outcome: 'done', changed: true });
    await importStatement({ store, origin }, { ...input, closingBalance: '1.00' });
    await importStatement({ store, origin }, { ...input, closingBalance: '2.00' });
    expect(await close(input.of)).toEqual({ outcome: 'done', changed: false });
    expect(await close(input.of, { note: 'another' })).toEqual({ outcome: 'done', changed: true });
    const closings = (await events(input.of)).filter(
      ({ type }) => type === 'StatementFindingClosed',
    );
    expect(closings).toMatchObject([
      { data: { note: 'the tariff' } },
      { data: { note: 'another' } },
    ]);
    expect(
      await close(input.of, { note: 'another', finding: { ...fee, amount: '30.00' } }),
    ).toEqual({
      outcome: 'done',
      changed: true,
    });
  });

  it('is refused before an import, and recorded once for two concurrent requests (R22.8)', async () => {
    const input = statement(2);
    expect(await close(input.of)).toEqual({ outcome: 'refused', code: 'no_statement' });
    await importStatement({ store, origin }, input);
    const both = await Promise.all([close(input.of), close(input.of)]);
    expect(both.filter((each) => 'changed' in each && each.changed)).toHaveLength(1);
  });
});
