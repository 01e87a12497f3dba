import { describe, expect, it } from 'vitest';
import type { StoredLine } from '#shared/domain/statements/events.ts';
import { match, type CountedMoney, type Match } from './match-statement.ts';

const day = '2026-01-31';
const noon = `${day}T12:00:00.000Z`;

const line = (change: Partial<StoredLine> = {}): StoredLine => ({
  line: 1,
  kind: 'transfer',
  direction: 'in',
  leg_id: 'l-1',
  operation_id: 'o-1',
  attempt: 1,
  amount: '100.00',
  completed_at: noon,
  ...change,
});
/** A line without an operation. */
const unattributed = (change: Partial<StoredLine> = {}): StoredLine => {
  const { operation_id: _, attempt: __, ...rest } = line(change);
  return rest;
};
const counted = (change: Partial<CountedMoney> = {}): CountedMoney => ({
  kind: 'transfer',
  legId: 'l-1',
  operationId: 'o-1',
  direction: 'in',
  amount: '100.00',
  completedAt: noon,
  ...change,
});
const returned = (change: Partial<CountedMoney> = {}) =>
  counted({ kind: 'return', legId: 'b-1', ofLegId: 'l-1', direction: 'out', ...change });

const named = { legId: 'l-1', operationId: 'o-1' };

type Input = {
  lines?: StoredLine[];
  counted?: CountedMoney[];
  /** Lines of other days. */
  long?: StoredLine[];
  earlier?: StoredLine[];
  next?: StoredLine[];
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
  closedBefore?: string;
};
const matched = (input: Input, of = day): Match => {
  const { lines = [], counted: money = [], openingBalance, closingBalance } = input;
  const statements = [
    { day: '2026-01-02', lines: input.long ?? [] },
    { day: '2026-01-30', lines: input.earlier ?? [], closingBalance: input.closedBefore },
    { day, lines, openingBalance, closingBalance },
    { day: '2026-02-01', lines: input.next ?? [] },
  ];
  return match(of, statements, money);
};
const findingIds = (input: Input) => matched(input).findings.map(({ id }) => id);

describe('statement line (R22.3)', () => {
  it('confirms an equal counted amount (R22.1)', () => {
    expect(matched({ lines: [line()], counted: [counted()] })).toEqual({
      confirmed: [{ line: 1, legId: 'l-1', operationId: 'o-1' }],
      findings: [],
    });
  });

  it('confirms a leg by its id if it names no operation (R22.3)', () => {
    const { confirmed, findings } = matched({ lines: [unattributed()], counted: [counted()] });
    expect(confirmed).toMatchObject([{ operationId: 'o-1' }]);
    expect(findings).toEqual([]);
  });

  it.each<[string, StoredLine, CountedMoney[], string[]]>([
    ['names an operation that has not counted it', line(), [], ['not_counted@o-1:l-1']],
    ['names no operation, and no leg has its id', unattributed(), [], ['unknown_line:l-1']],
    [
      'has another amount',
      line({ amount: '99.99' }),
      [counted()],
      ['amount_differs.transfer@o-1:l-1'],
    ],
    [
      'names another operation',
      line({ operation_id: 'x' }),
      [counted()],
      ['operation_differs.transfer@x:l-1'],
    ],
    [
      'has the other direction',
      line({ direction: 'out' }),
      [counted()],
      ['operation_differs.transfer@o-1:l-1'],
    ],
    [
      'has another amount and the other direction',
      line({ direction: 'out', amount: '1.00' }),
      [counted()],
      ['operation_differs.transfer@o-1:l-1', 'amount_differs.transfer@o-1:l-1'],
    ],
    [
      'names a leg that was removed',
      line(),
      [counted({ amount: '0.00' })],
      ['not_counted@o-1:l-1'],
    ],
    [
      'is of 0.00, and no operation counts it',
      line({ amount: '0.00' }),
      [],
      ['not_counted@o-1:l-1'],
    ],
    [
      'is of 0.00, and an operation counts it',
      line({ amount: '0.00' }),
      [counted()],
      ['amount_differs.transfer@o-1:l-1'],
    ],
    ['is a fee', unattributed({ kind: 'fee', leg_id: 'f' }), [], ['fee:f']],
    ['is a settlement', unattributed({ kind: 'settlement', leg_id: 's' }), [], ['settlement:s']],
    ['is of another kind', unattributed({ kind: 'other', leg_id: 'o' }), [], ['other:o']],
  ])('is a finding if it %s (R22.3)', (_what, stated, legs, findings) => {
    expect(findingIds({ lines: [stated], counted: legs })).toEqual(findings);
    expect(matched({ lines: [stated], counted: legs }).confirmed).toEqual([]);
  });

  it('has the amounts of both sides in its finding', () => {
    const { findings } = matched({ lines: [line({ amount: '99.99' })], counted: [counted()] });
    expect(findings).toEqual([
      {
        id: 'amount_differs.transfer@o-1:l-1',
        kind: 'amount_differs',
        line: 1,
        ...named,
        amount: '99.99',
        counted: '100.00',
      },
    ]);
  });

  it('confirms a leg counted in two parts (R22.3)', () => {
    const parts = [counted({ amount: '60.00' }), counted({ amount: '40.00' })];
    expect(matched({ lines: [line()], counted: parts })).toMatchObject({
      confirmed: [{ line: 1 }],
      findings: [],
    });
  });

  it('belongs to its operation if two operations share a leg id (R22.3)', () => {
    const both = [counted(), counted({ operationId: 'o-2' })];
    expect(findingIds({ lines: [line()], counted: both })).toEqual([
      'not_in_statement.transfer@o-2:l-1',
    ]);
    // The line explains one of the two.
    expect(findingIds({ lines: [unattributed()], counted: both })).toHaveLength(1);
    const twice = [unattributed(), unattributed({ line: 2 })];
    expect(matched({ lines: twice, counted: both })).toMatchObject({
      confirmed: [{ line: 1 }, { line: 2 }],
      findings: [],
    });
  });
});

describe('legs whose id is unique only within their operation', () => {
  const ids = ['o-1', 'o-2', 'o-3'];
  const lines = ids.map((operation_id, index) =>
    line({ line: index + 1, leg_id: '1', operation_id }),
  );
  const legs = ids.map((operationId) => counted({ legId: '1', operationId }));
  const [, second, third] = lines;

  it('are confirmed each by the line of their operation (R22.3)', () => {
    const { confirmed, findings } = matched({ lines, counted: legs });
    expect(findings).toEqual([]);
    expect(confirmed.map(({ operationId }) => operationId)).toEqual(ids);
  });

  it('are missing even if neighbouring days have lines of other operations (R22.5)', () => {
    const missing = { counted: legs.slice(0, 1), earlier: [second as StoredLine] };
    expect(findingIds(missing)).toEqual(['not_in_statement.transfer@o-1:1']);
    expect(findingIds({ ...missing, earlier: [], next: [third as StoredLine] })).toEqual([
      'not_in_statement.transfer@o-1:1',
    ]);
  });

  it('are each reported separately (R22.5)', () => {
    expect(findingIds({ counted: legs }).toSorted()).toEqual(
      ids.map((id) => `not_in_statement.transfer@${id}:1`),
    );
    const off = lines.map((each) => ({ ...each, amount: '90.00' }));
    expect(findingIds({ lines: off, counted: legs })).toEqual(
      ids.map((id) => `amount_differs.transfer@${id}:1`),
    );
  });

  it('are not duplicates of an earlier line that names no operation (R22.4)', () => {
    const unnamed = unattributed({ line: 9, leg_id: '1' });
    const before = matched({ lines, counted: legs, earlier: [unnamed] });
    expect(before.findings).toEqual([]);
    expect(before.confirmed.map(({ operationId }) => operationId)).toEqual(ids);
    // The line that names the operation explains its money, and the earlier one none.
    const only = { lines: lines.slice(0, 1), counted: legs.slice(0, 1), earlier: [unnamed] };
    expect(findingIds(only)).toEqual([]);
    expect(matched(only, '2026-01-30').findings).toMatchObject([{ id: 'unknown_line:1' }]);
    // The earlier line explains the money, so that one with another name is of none.
    expect(findingIds({ ...only, lines: [second as StoredLine] })).toEqual(['not_counted@o-2:1']);
  });

  it('are duplicates only of a line of their own operation (R22.4)', () => {
    const input = { lines, counted: legs, earlier: [second as StoredLine] };
    expect(findingIds(input)).toEqual(['duplicate_line:1:2']);
  });
});

describe('duplicate line (R22.4)', () => {
  it('is a finding, and the first line counts (R22.4)', () => {
    const twice = [line(), line({ line: 2 })];
    expect(matched({ lines: twice, counted: [counted()] })).toMatchObject({
      confirmed: [{ line: 1 }],
      findings: [{ id: 'duplicate_line:l-1:2', line: 2 }],
    });
  });

  it('is a finding if an earlier day has it (R22.4)', () => {
    const input = { lines: [unattributed()], counted: [counted()], earlier: [unattributed()] };
    expect(findingIds(input)).toEqual([]);
    expect(matched(input, '2026-01-30').findings).toMatchObject([{ id: 'unknown_line:l-1' }]);
    for (const far of [line, unattributed])
      expect(findingIds({ ...input, lines: [far(), far({ line: 2 })] })).toEqual([
        'duplicate_line:l-1:2',
      ]);
    expect(findingIds({ lines: [unattributed()], long: [unattributed()] })).toEqual([
      'duplicate_line:l-1:1',
    ]);
  });

  it('is not a return with the id of its transfer (R22.4)', () => {
    const lines = [line(), line({ line: 2, kind: 'return', direction: 'out' })];
    expect(findingIds({ lines, counted: [counted(), returned({ legId: 'l-1' })] })).toEqual([]);
  });
});

describe('money that an operation counts (R22.5)', () => {
  it('is a finding if no line has it (R22.5)', () => {
    expect(matched({ counted: [counted()] }).findings).toEqual([
      {
        id: 'not_in_statement.transfer@o-1:l-1',
        kind: 'not_in_statement',
        ...named,
        counted: '100.00',
      },
    ]);
  });

  it.each(['earlier', 'next'])(
    'is not a finding if a neighbouring day has its line: %s (R22.5)',
    (neighbour) => {
      for (const each of [line, unattributed]) {
        expect(findingIds({ counted: [counted()], [neighbour]: [each()] })).toEqual([]);
        for (const other of [{ amount: '99.99' }, { direction: 'out' as const }])
          expect(findingIds({ counted: [counted()], [neighbour]: [each(other)] })).toEqual([
            'not_in_statement.transfer@o-1:l-1',
          ]);
      }
    },
  );

  it('is explained by no line of a day that is not adjacent (R22.5)', () => {
    const missing = ['not_in_statement.transfer@o-1:l-1'];
    for (const each of [line, unattributed])
      expect(findingIds({ counted: [counted()], long: [each()] })).toEqual(missing);
    const old = counted({ operationId: 'o-2', completedAt: '2026-01-02T12:00:00.000Z' });
    const reused = { counted: [old, counted({ amount: '16005.00' })], long: [unattributed()] };
    expect(findingIds(reused)).toEqual(missing);
    expect(matched(reused, '2026-01-02')).toMatchObject({
      confirmed: [{ operationId: 'o-2' }],
      findings: [],
    });
  });

  it('is explained by one line, and each line explains one sum (R22.5)', () => {
    const two = [counted(), counted({ operationId: 'o-2' })];
    expect(findingIds({ counted: two, earlier: [unattributed()] })).toHaveLength(1);
    expect(findingIds({ counted: two, earlier: [unattributed()], next: [unattributed()] })).toEqual(
      [],
    );
    // The money of its own day comes before that of a neighbour.
    const before = counted({ operationId: 'o-2', completedAt: '2026-01-30T23:00:00.000Z' });
    const input = { lines: [unattributed()], counted: [before, counted()] };
    expect(matched(input)).toMatchObject({ confirmed: [{ operationId: 'o-1' }], findings: [] });
    expect(matched(input, '2026-01-30').findings).toMatchObject([
      { id: 'not_in_statement.transfer@o-2:l-1' },
    ]);
  });

  it('has a finding of its own if its return has the same id and differs too (R22.5)', () => {
    const both = [counted(), returned({ legId: 'l-1' })];
    expect(findingIds({ counted: both })).toEqual([
      'not_in_statement.transfer@o-1:l-1',
      'not_in_statement.return@o-1:l-1',
    ]);
  });

  it('is not a finding on another day or with a zero amount (R22.5)', () => {
    expect(findingIds({ counted: [counted({ completedAt: '2026-01-30T23:59:59.999Z' })] })).toEqual(
      [],
    );
    expect(findingIds({ counted: [counted({ amount: '0.00' })] })).toEqual([]);
  });
});

describe('returned money (R22.6)', () => {
  it.each(['return', 'chargeback'] as const)(
    'is a finding if it was not reported: %s (R22.6)',
    (kind) => {
      const back = unattributed({ kind, leg_id: 'b-1', of_leg_id: 'l-1', direction: 'out' });
      expect(findingIds({ lines: [back] })).toEqual(['return_not_reported:b-1']);
      expect(findingIds({ lines: [back], counted: [returned()] })).toEqual([]);
      expect(findingIds({ lines: [{ ...back, of_leg_id: 'l-2' }], counted: [returned()] })).toEqual(
        ['operation_differs.return@o-1:b-1'],
      );
    },
  );

  it('is a finding if no line has it (R22.5)', () => {
    expect(findingIds({ counted: [returned()] })).toEqual(['not_in_statement.return@o-1:b-1']);
  });
});

describe('balances (R22.7)', () => {
  const lines = [line(), line({ line: 2, leg_id: 'l-2', direction: 'out', amount: '30.00' })];
  const both = [counted(), counted({ legId: 'l-2', direction: 'out', amount: '30.00' })];
  const balances = (opening?: string, closing?: string, closedBefore?: string) =>
    findingIds({
      lines,
      counted: both,
      openingBalance: opening,
      closingBalance: closing,
      ...(closedBefore !== undefined && { closedBefore }),
    });

  it('are not a finding if they are consistent or absent (R22.7)', () => {
    expect(balances('-10.00', '60.00', '-10.00')).toEqual([]);
    expect(balances()).toEqual([]);
    expect(balances('5.00')).toEqual([]);
    expect(balances(undefined, '5.00')).toEqual([]);
  });

  it('are a finding if they are inconsistent (R22.7)', () => {
    expect(balances('-10.00', '60.01')).toEqual(['balance_differs']);
    expect(balances('-10.00', '60.00', '-10.01')).toEqual(['balance_differs']);
  });
});
