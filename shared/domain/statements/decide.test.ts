import { describe, expect, it } from 'vitest';
import { chunksOf, closeFinding, nextImport, noStatement, type StatementState } from './decide.ts';
import { mostLinesInEvent, type StatementEvent, type StoredLine } from './events.ts';

const of = { provider: 'sandbox', account: 'default', currency: 'RUB', day: '2026-01-31' };
const line: StoredLine = {
  line: 1,
  kind: 'transfer',
  direction: 'in',
  leg_id: 'leg-1',
  amount: '1.00',
  completed_at: '2026-01-31T12:00:00.000Z',
};
/** A stream whose last complete import has this digest. `begun`: the last import that was begun. */
const importedState = (number: number, digest: string, begun = number): StatementState => ({
  ...noStatement,
  revision: 2 * begun - 1,
  latestImport: begun,
  imported: {
    ...of,
    import: number,
    source: 'provider',
    lines: 1,
    total_in: '1.00',
    total_out: '0.00',
    digest,
  },
});
const closedBy = (events: readonly StatementEvent[]): StatementState => ({
  ...noStatement,
  closed: Object.fromEntries(
    events.flatMap(({ type, data }) =>
      type === 'StatementFindingClosed' ? [[data.finding_id, data]] : [],
    ),
  ),
});

describe('statement import (R22.2)', () => {
  it('is skipped for the same statement (R22.2)', () => {
    expect(nextImport(noStatement, 'a')).toBe(1);
    expect(nextImport(importedState(1, 'a'), 'a')).toBeUndefined();
  });

  it('replaces the previous one if the statement changed (R22.2)', () => {
    expect(nextImport(importedState(1, 'a'), 'b')).toBe(2);
    expect(nextImport(importedState(2, 'b'), 'a')).toBe(3);
  });

  it('is ignored if incomplete, and its number is not reused (R22.2)', () => {
    const interrupted = importedState(1, 'a', 2);
    expect(nextImport(interrupted, 'b')).toBe(3);
    expect(nextImport(interrupted, 'a')).toBeUndefined();
  });

  it('stores all lines in order, in events of bounded size (R22.2)', () => {
    const many = Array.from({ length: 1_201 }, (_, index) => ({ ...line, line: index + 1 }));
    const chunks = [...chunksOf(many)];
    expect(chunks.map((chunk) => chunk.length)).toEqual([mostLinesInEvent, mostLinesInEvent, 201]);
    expect(chunks.flat()).toEqual(many);
    const long = many.map((each) => ({
      ...each,
      leg_id: 'щ'.repeat(256),
      of_leg_id: '"'.repeat(256),
    }));
    for (const chunk of chunksOf(long))
      expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThan(512 * 1024);
    expect([...chunksOf(long)].flat()).toEqual(long);
    expect([...chunksOf([])]).toEqual([]);
  });
});

describe('closing a finding (R22.8)', () => {
  const command = {
    of,
    findingId: 'fee:f',
    decision: 'explained',
    note: 'the tariff',
    finding: { kind: 'fee', amount: '3.00' },
  } as const;
  const closed = closeFinding(noStatement, command);
  const events = closed.ok ? closed.events : [];

  const recorded = { decision: 'explained', note: 'the tariff', amount: '3.00' };

  it('records the finding, its amounts, the decision and the note (R22.8)', () => {
    expect(events).toEqual([
      {
        type: 'StatementFindingClosed',
        data: { ...of, finding_id: 'fee:f', finding: 'fee', ...recorded },
      },
    ]);
  });

  it('adds no event with the same note, but one with another note (R22.8)', () => {
    expect(closeFinding(closedBy(events), command)).toEqual({ ok: true, events: [] });
    const other = closeFinding(closedBy(events), { ...command, note: 'not the tariff' });
    expect(other).toMatchObject({ ok: true, events: [{ data: { note: 'not the tariff' } }] });
  });

  it('adds an event with the same note for other amounts (R22.8)', () => {
    for (const finding of [
      { kind: 'fee', amount: '1000.00' },
      { kind: 'fee', amount: '3.00', counted: '2.00' },
    ] as const) {
      const { kind: _, ...amounts } = finding;
      const other = closeFinding(closedBy(events), { ...command, finding });
      expect(other).toMatchObject({
        ok: true,
        events: [{ data: { note: 'the tariff', ...amounts } }],
      });
    }
  });

  it('adds the amounts that an older event lacks (R22.8)', () => {
    const { amount: _, ...old } = recorded;
    const data = { ...of, finding_id: 'fee:f', finding: 'fee', ...old } as const;
    const before = closedBy([
      { type: 'StatementFindingClosed', data: { ...data, decision: 'explained' } },
    ]);
    expect(closeFinding(before, command)).toMatchObject({
      ok: true,
      events: [{ data: { amount: '3.00' } }],
    });
  });

  it('can be repeated for a finding that no longer exists, with its last amounts (R22.8)', () => {
    const gone = closeFinding(closedBy(events), {
      ...command,
      finding: undefined,
      note: 'paid back',
    });
    const data = { finding: 'fee', amount: '3.00', note: 'paid back' };
    expect(gone).toMatchObject({ ok: true, events: [{ data }] });
    expect(closeFinding(closedBy(events), { ...command, finding: undefined })).toEqual({
      ok: true,
      events: [],
    });
    const findingId = 'fee@operation-1:f';
    const { decision, note } = command;
    const named = { ...of, finding_id: findingId, finding: 'fee', decision, note } as const;
    const olderState = closedBy([{ type: 'StatementFindingClosed', data: named }]);
    const again = { ...command, findingId, finding: undefined, note: 'paid back' };
    expect(closeFinding(olderState, again)).toMatchObject({
      ok: true,
      events: [{ data: { finding_id: findingId, finding: 'fee' } }],
    });
  });

  it('is refused for an unknown finding and without a note (R22.8)', () => {
    const refused = (change: object) => closeFinding(noStatement, { ...command, ...change });
    expect(refused({ finding: undefined })).toEqual({ ok: false, code: 'unknown_finding' });
    expect(refused({ findingId: 'constructor', finding: undefined })).toEqual({
      ok: false,
      code: 'unknown_finding',
    });
    expect(refused({ note: '  ' })).toEqual({ ok: false, code: 'note_missing' });
  });
});
