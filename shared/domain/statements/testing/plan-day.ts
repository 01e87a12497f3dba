import { fromMinor } from '../../ledger/minor.ts';
import type { StoredLine } from '../events.ts';
import { findingId } from '../findings.ts';
import type { CountedMoney, LineName, Matched } from '../match.ts';

export const plantable = [
  'not_counted',
  'not_in_statement',
  'amount_differs',
  'operation_differs',
  'other_direction',
  'duplicate_line',
  'earlier_line',
  /** No difference: the line is in the statement of the day before or after. */
  'before_midnight',
  'after_midnight',
  /** No difference: received and returned, both in the statement. */
  'returned',
] as const;

export type Plan = {
  legs: readonly {
    minor: number;
    direction: 'in' | 'out';
    /** The line names its operation. */
    named: boolean;
    hour: number;
    plant: (typeof plantable)[number] | undefined;
  }[];
  unmatchedLines: readonly (
    | 'fee'
    | 'settlement'
    | 'other'
    | 'unknown_line'
    | 'return_not_reported'
  )[];
  /** The closing balance does not match the lines. */
  balanceDiffers: boolean;
  /** Sorts lines and legs. */
  order: readonly number[];
};

const plannedDay = '2026-01-31';

type Line = Omit<StoredLine, 'line'>;

/** A day with planted differences: its statement, the counted money, and the expected findings. */
export function planDay(plan: Plan): { input: Matched; planted: string[]; confirmed: string[] } {
  const planned = plan.legs.map(planLeg);
  const unmatchedLines = plan.unmatchedLines.map(unmatchedLine);
  const lines = shuffled(
    [...planned.flatMap((each) => each.lines), ...unmatchedLines.map(({ line }) => line)],
    plan.order,
  ).map((line, index) => ({ ...line, line: index + 1 }));
  const seen = new Set<string>();
  const repeated = lines.filter(({ leg_id: id, kind }) => {
    const isRepeated = seen.has(`${kind} ${id}`);
    seen.add(`${kind} ${id}`);
    return isRepeated;
  });
  const earlier = planned.flatMap((each) => each.earlier);
  const inEarlierDay = lines.filter(({ kind, leg_id: id }) =>
    earlier.some((each) => each.kind === kind && each.leg_id === id),
  );
  const moved = lines.reduce(
    (sum, { direction, amount }) =>
      sum + BigInt(amount.replace('.', '')) * (direction === 'in' ? 1n : -1n),
    0n,
  );
  return {
    input: {
      day: plannedDay,
      lines,
      counted: shuffled(
        planned.flatMap((each) => each.counted),
        plan.order,
      ),
      earlier,
      next: planned.flatMap((each) => each.next),
      openingBalance: '1000.00',
      closingBalance: fromMinor(100_000n + moved + (plan.balanceDiffers ? 1n : 0n)),
      closedBefore: '1000.00',
    },
    planted: [
      ...planned.flatMap((each) => each.planted),
      ...unmatchedLines.map(({ id }) => id),
      ...[...repeated, ...inEarlierDay].map(
        ({ leg_id: id, line }) => `duplicate_line:${id}:${line}`,
      ),
      ...(plan.balanceDiffers ? ['balance_differs'] : []),
    ],
    confirmed: planned.flatMap((each) => each.confirmed),
  };
}

type PlannedLeg = {
  lines: Line[];
  counted: CountedMoney[];
  earlier: LineName[];
  next: LineName[];
  planted: string[];
  confirmed: string[];
};

/** A leg as its operation counts it, and its line. */
function soundLeg(
  { minor, direction, named, hour }: Plan['legs'][number],
  index: number,
): { money: CountedMoney; line: Line } {
  const legId = `leg-${index}`;
  const operationId = `operation-${index}`;
  const amount = fromMinor(BigInt(minor));
  const completedAt = `${plannedDay}T${String(hour).padStart(2, '0')}:00:00.000Z`;
  const of = { kind: 'transfer', direction, amount } as const;
  return {
    money: { ...of, legId, operationId, completedAt },
    line: {
      ...of,
      leg_id: legId,
      ...(named && { operation_id: operationId, attempt: 1 }),
      completed_at: completedAt,
    },
  };
}

function planLeg(leg: Plan['legs'][number], index: number): PlannedLeg {
  const { minor, direction, plant } = leg;
  const { money, line } = soundLeg(leg, index);
  const { legId, operationId } = money;
  const nothing = { lines: [], counted: [], earlier: [], next: [], planted: [], confirmed: [] };
  const sound: PlannedLeg = { ...nothing, lines: [line], counted: [money], confirmed: [legId] };
  const back = direction === 'in' ? 'out' : 'in';
  switch (plant) {
    case undefined:
      return sound;
    case 'not_counted':
      return {
        ...nothing,
        lines: [{ ...line, operation_id: operationId }],
        planted: [findingId('not_counted', { legId, operationId })],
      };
    case 'not_in_statement':
      return {
        ...nothing,
        counted: [money],
        planted: [findingId('not_in_statement', { legId, operationId })],
      };
    case 'amount_differs':
      return {
        ...sound,
        lines: [{ ...line, amount: fromMinor(BigInt(minor) + 1n) }],
        planted: [findingId('amount_differs', { legId, operationId })],
        confirmed: [],
      };
    case 'operation_differs':
      return {
        ...sound,
        lines: [{ ...line, operation_id: 'another' }],
        planted: [findingId('operation_differs', { legId, operationId: 'another' })],
        confirmed: [],
      };
    case 'other_direction':
      return {
        ...sound,
        lines: [{ ...line, direction: back }],
        planted: [findingId('operation_differs', { legId, operationId })],
        confirmed: [],
      };
    case 'duplicate_line':
      return { ...sound, lines: [line, line] };
    case 'earlier_line':
      return { ...sound, earlier: [line], confirmed: [] };
    case 'before_midnight':
      return { ...nothing, counted: [money], earlier: [line] };
    case 'after_midnight':
      return { ...nothing, counted: [money], next: [line] };
    case 'returned': {
      const id = `${legId}-back`;
      return {
        ...sound,
        lines: [line, { ...line, kind: 'return', direction: back, leg_id: id, of_leg_id: legId }],
        counted: [money, { ...money, kind: 'return', legId: id, ofLegId: legId, direction: back }],
        confirmed: [legId, id],
      };
    }
  }
}

function unmatchedLine(
  what: Plan['unmatchedLines'][number],
  index: number,
): { line: Line; id: string } {
  const legId = `stranger-${index}`;
  const kind =
    what === 'unknown_line' ? 'transfer' : what === 'return_not_reported' ? 'chargeback' : what;
  const line: Line = {
    kind,
    direction: 'out',
    leg_id: legId,
    amount: '7.00',
    completed_at: `${plannedDay}T01:00:00.000Z`,
  };
  return { line, id: `${what}:${legId}` };
}

function shuffled<Item>(items: readonly Item[], order: readonly number[]): Item[] {
  return items
    .map((item, index) => ({ item, at: order[index] ?? index }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
