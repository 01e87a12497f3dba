import { hash } from 'node:crypto';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import type { StoredLine } from '#shared/domain/statements/events.ts';
import {
  findingId,
  moneyOfLine,
  type FindingKind,
  type MoneyKind,
} from '#shared/domain/statements/findings.ts';
import { dayMs } from '#shared/domain/day.ts';

/*
 * How a statement is matched: the specification of the SQL in
 * projections/views/statement-matching.ts, which alone runs in the product. A test compares the two
 * on random statements and operations.
 */

/**
 * Money that the gateway counts at a provider's account in a currency: a leg of an operation, late
 * money, or returned money. If a leg was counted in parts, each part is one of these. A
 * synthetic leg, for which there is only an operator's approval, is none.
 */
export type CountedMoney = {
  /** `return`: returned money of a payment or of a payout. */
  kind: MoneyKind;
  legId: string;
  /** The leg whose money was returned, for a return. */
  ofLegId?: string;
  operationId: string;
  /** Seen from the account with the provider. */
  direction: StoredLine['direction'];
  amount: string;
  completedAt: string;
};

type Statement = {
  day: string;
  lines: readonly StoredLine[];
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
};

export type Finding = {
  id: string;
  kind: FindingKind;
  legId?: string;
  line?: number;
  operationId?: string;
  /** The amounts of the statement and of the operations. */
  amount?: string;
  counted?: string;
};

export type Match = {
  /** Lines that match exactly what an operation counts. */
  confirmed: { line: number; legId: string; operationId: string }[];
  findings: Finding[];
};

type Line = StoredLine & { day: string };

/** What one operation counts of one leg. */
type Sum = Omit<CountedMoney, 'amount'> & { minor: bigint };

/** The sum that each line explains, and the line of each sum. */
type Explained = { sums: ReadonlyMap<Line, Sum>; lines: ReadonlyMap<Sum, Line> };

/**
 * Compares a day's statement with what the operations count, among all statements of the account.
 * The result depends on the order of neither.
 */
export function match(
  day: string,
  statements: readonly Statement[],
  counted: Iterable<CountedMoney>,
): Match {
  const all = statements
    .flatMap((each) => each.lines.map((line): Line => ({ ...line, day: each.day })))
    .toSorted((left, right) => daysBetween(right, left) || left.line - right.line);
  const sums = sumUp(counted);
  const explained = explain(all, sums);
  const confirmed: Match['confirmed'] = [];
  const findings: Finding[] = [];
  const mentioned = new Set<Sum>();
  for (const [index, line] of all.entries()) {
    if (line.day !== day) continue;
    if (!explained.sums.has(line) && isRepeated(line, all.slice(0, index))) {
      findings.push(about('duplicate_line', line, { line: line.line }));
      continue;
    }
    const sum = explained.sums.get(line) ?? onlyUnexplained(line, sums, explained);
    const found = judgeLine(line, sum);
    findings.push(...found);
    if (!sum) continue;
    mentioned.add(sum);
    if (found.length === 0)
      confirmed.push({ line: line.line, legId: line.leg_id, operationId: sum.operationId });
  }
  const missing = sums.filter(
    (sum) =>
      sum.completedAt.startsWith(day) && !mentioned.has(sum) && !isInNeighbour(sum, explained),
  );
  findings.push(...missing.map(notInStatement), ...balanceDiffers(day, statements));
  return { confirmed, findings: onceEach(findings) };
}

const daysBetween = (left: { day: string }, right: { day: string }): number =>
  (Date.parse(right.day) - Date.parse(left.day)) / dayMs;
/** By how many days the money moved after the day of the line's statement. */
const daysAfter = (line: Line, { completedAt }: Sum): number =>
  daysBetween(line, { day: completedAt.slice(0, 10) });

/** Some providers give two operations one leg id. */
function sumUp(counted: Iterable<CountedMoney>): Sum[] {
  const sums: Sum[] = [];
  for (const { amount, ...each } of counted) {
    const same = sums.find((sum) => isSameLeg(sum, each) && sum.operationId === each.operationId);
    if (same) same.minor += toMinor(amount);
    else sums.push({ ...each, minor: toMinor(amount) });
  }
  // Of equal sums, any order will do that everyone who computes it has.
  const order = ({ operationId }: Sum) => hash('sha256', operationId);
  // Money that a provider no longer reports adds up to zero, and is not counted.
  return sums
    .filter(({ minor }) => minor !== 0n)
    .toSorted((left, right) => (order(left) < order(right) ? -1 : 1));
}

type Leg = Pick<CountedMoney, 'kind' | 'legId'>;
const isSameLeg = (left: Leg, right: Leg) => left.kind === right.kind && left.legId === right.legId;
const isOfLeg = (line: StoredLine, { kind, legId }: Leg) =>
  moneyOfLine(line) === kind && line.leg_id === legId;

/**
 * A line explains one sum at most, and each sum has one line. First the lines that name their
 * operation, then those that name none, by amount and direction: the same day's money, then that of
 * the day before, then that of the day after.
 */
function explain(all: readonly Line[], sums: readonly Sum[]): Explained {
  const explained = { sums: new Map<Line, Sum>(), lines: new Map<Sum, Line>() };
  const pair = (line: Line, isItsOwn: (sum: Sum) => boolean) => {
    if (explained.sums.has(line)) return;
    const sum = sums.find(
      (each) => !explained.lines.has(each) && isOfLeg(line, each) && isItsOwn(each),
    );
    if (!sum) return;
    explained.sums.set(line, sum);
    explained.lines.set(sum, line);
  };
  for (const line of all) pair(line, ({ operationId }) => operationId === line.operation_id);
  const unnamed = all.filter((line) => line.operation_id === undefined);
  for (const days of [0, -1, 1])
    for (const line of unnamed)
      pair(line, (sum) => daysAfter(line, sum) === days && isEqual(line, sum));
  return explained;
}

const isEqual = (line: Line, { direction, minor }: Sum): boolean =>
  line.direction === direction && toMinor(line.amount) === minor;

/**
 * Whether a line that explains nothing is of the money of an earlier one: a leg id is unique only
 * within an operation, where the lines name one.
 */
const isRepeated = (line: Line, earlier: readonly Line[]): boolean =>
  earlier.some(
    (each) =>
      moneyOfLine(each) === moneyOfLine(line) &&
      each.leg_id === line.leg_id &&
      (line.operation_id === undefined || each.operation_id === line.operation_id),
  );

/** Of a line that explains nothing: the only sum of about its day that no line explains. */
function onlyUnexplained(line: Line, sums: readonly Sum[], { lines }: Explained): Sum | undefined {
  const left = sums.filter(
    (sum) => isOfLeg(line, sum) && !lines.has(sum) && Math.abs(daysAfter(line, sum)) <= 1,
  );
  return left.length === 1 ? left[0] : undefined;
}

/** Whether an adjacent day's statement has the money, with its amount and direction. */
function isInNeighbour(sum: Sum, { lines }: Explained): boolean {
  const line = lines.get(sum);
  return line !== undefined && Math.abs(daysAfter(line, sum)) === 1 && isEqual(line, sum);
}

function judgeLine(line: Line, sum: Sum | undefined): Finding[] {
  switch (line.kind) {
    case 'fee':
    case 'settlement':
    case 'other':
      return [about(line.kind, line)];
    case 'transfer':
    case 'return':
    case 'chargeback':
      return sum ? differences(line, sum) : [unknownMoney(line)];
  }
}

function unknownMoney(line: StoredLine): Finding {
  if (line.kind !== 'transfer') return about('return_not_reported', line);
  return about(line.operation_id === undefined ? 'unknown_line' : 'not_counted', line);
}

function differences(line: StoredLine, sum: Sum): Finding[] {
  const { operationId, direction, minor, ofLegId } = sum;
  const otherOperation = line.operation_id !== undefined && line.operation_id !== operationId;
  const otherLeg =
    line.of_leg_id !== undefined && ofLegId !== undefined && line.of_leg_id !== ofLegId;
  const missing: Finding[] = [];
  const add = (kind: FindingKind) =>
    missing.push({ ...about(kind, line, { operationId }), operationId, counted: fromMinor(minor) });
  if (otherOperation || otherLeg || line.direction !== direction) add('operation_differs');
  if (toMinor(line.amount) !== minor) add('amount_differs');
  return missing;
}

const notInStatement = ({ kind: money, legId, operationId, minor }: Sum): Finding => ({
  id: findingId('not_in_statement', { money, legId, operationId }),
  kind: 'not_in_statement',
  legId,
  operationId,
  counted: fromMinor(minor),
});

/** Two lines may name one operation without effect: one finding is enough. */
function onceEach(findings: readonly Finding[]): Finding[] {
  const ids = new Set<string>();
  return findings.filter(({ id }) => {
    if (ids.has(id)) return false;
    ids.add(id);
    return true;
  });
}

function balanceDiffers(day: string, statements: readonly Statement[]): Finding[] {
  const on = (days: number) => statements.find((each) => daysBetween({ day }, each) === days);
  const { lines = [], openingBalance, closingBalance } = on(0) ?? {};
  const closedBefore = on(-1)?.closingBalance;
  if (openingBalance === undefined) return [];
  const opening = toMinor(openingBalance);
  const moved = lines.reduce(
    (sum, { direction, amount }) =>
      direction === 'in' ? sum + toMinor(amount) : sum - toMinor(amount),
    0n,
  );
  const finding = (amount: string, counted: string): Finding[] => [
    { id: findingId('balance_differs', undefined), kind: 'balance_differs', amount, counted },
  ];
  if (closedBefore !== undefined && toMinor(closedBefore) !== opening)
    return finding(openingBalance, closedBefore);
  if (closingBalance === undefined || toMinor(closingBalance) === opening + moved) return [];
  return finding(closingBalance, fromMinor(opening + moved));
}

function about(
  kind: FindingKind,
  line: StoredLine,
  { operationId, ...more }: { line?: number; operationId?: string } = {},
): Finding {
  return {
    id: findingId(kind, {
      money: moneyOfLine(line),
      legId: line.leg_id,
      operationId: line.operation_id ?? operationId,
      ...more,
    }),
    kind,
    legId: line.leg_id,
    line: line.line,
    ...(line.operation_id !== undefined && { operationId: line.operation_id }),
    amount: line.amount,
  };
}
