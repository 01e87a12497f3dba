import { findingsOfEither } from '#shared/domain/statements/findings.ts';
import type { Money, MoneyRecord } from './records.ts';

type Line = Extract<MoneyRecord, { of: 'line' }>;
type Leg = Extract<MoneyRecord, { of: 'leg' }>;
/** The amounts of a finding: by the statement, and by the operations. */
export type FindingAmounts = { amount?: bigint | undefined; counted?: bigint | undefined };
/** What a finding is about. */
type About = {
  statement: number;
  finding: string;
  /** Where a transfer and its return may both have it; undefined in notes of old versions. */
  money?: Money | undefined;
  /** The number of a repeated line, of which there are several. */
  line?: number | undefined;
  /** A hash of the operation's id; undefined if none is known, and in notes of old versions. */
  operation?: bigint | undefined;
};
export type FindingClosing = About & { position: number; amounts: FindingAmounts };

export const findingKey = ({ statement, finding, money, line, operation }: About): string =>
  [
    `${statement} ${finding}`,
    money === undefined ? '' : `.${money}`,
    line === undefined ? '' : ` ${line}`,
    operation === undefined ? '' : `@${operation}`,
  ].join('');

/** The result for all records of one leg id at one account, by the auditor's own matching. */
export type JoinResult = {
  confirmed: number;
  /** By `findingKey`. `oldKeys`: without the kind of money, and without the operation too. */
  findings: Map<string, FindingAmounts & { oldKeys: string[] }>;
};

/** The day of a statement, and the statement of an account's day. */
export type Days = {
  dayOf(statement: number): number;
  statementOf(account: number, day: number): number | undefined;
};

/** `lines`: only those of imports in force. */
export function join(lines: readonly Line[], legs: readonly Leg[], days: Days): JoinResult {
  const joined: JoinResult = { confirmed: 0, findings: new Map() };
  const inOrder = lines.toSorted(
    (left, right) =>
      days.dayOf(left.statement) - days.dayOf(right.statement) || left.line - right.line,
  );
  for (const money of new Set([...inOrder, ...legs].map((each) => each.money)))
    joinMoney(
      money,
      {
        lines: inOrder.filter((line) => line.money === money),
        counted: countedBy(legs.filter((leg) => leg.money === money)),
      },
      { days, joined },
    );
  return joined;
}

type LegSum = Omit<Leg, 'position'>;

/** Sums the parts of each leg; a leg that was taken back is left out. */
function countedBy(legs: readonly Leg[]): LegSum[] {
  const byOperation = new Map<bigint | undefined, LegSum>();
  for (const leg of legs) {
    const existing = byOperation.get(leg.operation);
    if (existing)
      Object.assign(existing, {
        amount: existing.amount + leg.amount,
        ofLeg: existing.ofLeg ?? leg.ofLeg,
        day: Math.min(existing.day, leg.day),
      });
    else byOperation.set(leg.operation, { ...leg });
  }
  return [...byOperation.values()].filter(({ amount }) => amount !== 0n);
}

function joinMoney(
  money: Money,
  { lines, counted }: { lines: readonly Line[]; counted: readonly LegSum[] },
  { days, joined }: { days: Days; joined: JoinResult },
): void {
  const { legOf, lineOf } = explain(lines, counted, days);
  const find = (about: About, amounts: FindingAmounts) => {
    const key = findingKey({ ...about, ...(namesMoney.has(about.finding) && { money }) });
    const oldKeys = [about, { ...about, operation: undefined }].map(findingKey);
    if (!joined.findings.has(key)) joined.findings.set(key, { ...amounts, oldKeys });
  };
  const isRepeated = createRepeated();
  const left = Map.groupBy(
    counted.filter((leg) => !lineOf.has(leg)),
    ({ day }) => day,
  );
  const stated = new Set<LegSum>();
  for (const line of lines) {
    const { statement } = line;
    const again = isRepeated(line);
    if (again && !legOf.has(line)) {
      find({ statement, finding: 'duplicate_line', line: line.line }, { amount: line.amount });
      continue;
    }
    const day = days.dayOf(statement);
    const leg = legOf.get(line) ?? onlyOne([-1, 0, 1].flatMap((by) => left.get(day + by) ?? []));
    if (leg?.day === day) stated.add(leg);
    const kinds = judgeLine(money, line, leg);
    if (kinds.length === 0) joined.confirmed += 1;
    const operation = line.operation ?? leg?.operation;
    for (const finding of kinds)
      find({ statement, finding, operation }, { amount: line.amount, counted: leg?.amount });
  }
  for (const leg of counted) {
    const statement = days.statementOf(leg.account, leg.day);
    const line = lineOf.get(leg);
    const isNextTo = line && Math.abs(days.dayOf(line.statement) - leg.day) === 1;
    if (
      statement !== undefined &&
      !stated.has(leg) &&
      !(isNextTo && sumName(line) === sumName(leg))
    )
      find(
        { statement, finding: 'not_in_statement', operation: leg.operation },
        { counted: leg.amount },
      );
  }
}

const namesMoney = new Set<string>(findingsOfEither);

const sumName = ({ direction, amount }: Line | LegSum): string => `${direction} ${amount}`;

const onlyOne = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

type LineMatches = { legOf: ReadonlyMap<Line, LegSum>; lineOf: ReadonlyMap<LegSum, Line> };

/**
 * Gives each line one leg at most, and each leg one line: that which names its operation, else one
 * without a name with its amount and direction. A day's lines take the money of that day first,
 * what is left of them that of the day before, then that of the day after.
 */
function explain(lines: readonly Line[], counted: readonly LegSum[], days: Days): LineMatches {
  const [legOf, lineOf] = [new Map<Line, LegSum>(), new Map<LegSum, Line>()];
  const pair = (line: Line, leg: LegSum | undefined) => {
    if (!leg) return;
    legOf.set(line, leg);
    lineOf.set(leg, line);
  };
  const byOperation = new Map(counted.map((leg) => [leg.operation, leg]));
  for (const line of lines) {
    const leg = line.operation === undefined ? undefined : byOperation.get(line.operation);
    if (leg && !lineOf.has(leg)) pair(line, leg);
  }
  const left = Map.groupBy(
    counted
      .filter((leg) => !lineOf.has(leg))
      .toSorted((one, other) => ((one.operation ?? 0n) < (other.operation ?? 0n) ? -1 : 1)),
    (leg) => `${leg.day} ${sumName(leg)}`,
  );
  for (const by of [0, -1, 1])
    for (const line of lines)
      if (line.operation === undefined && !legOf.has(line))
        pair(line, left.get(`${days.dayOf(line.statement) + by} ${sumName(line)}`)?.shift());
  return { legOf, lineOf };
}

/**
 * Finds lines that an earlier one precedes: a leg id is unique only within an operation, where the
 * lines name one.
 */
function createRepeated(): (line: Line) => boolean {
  const named = new Set<bigint>();
  let some = false;
  return ({ operation }) => {
    const repeated = operation === undefined ? some : named.has(operation);
    some = true;
    if (operation !== undefined) named.add(operation);
    return repeated;
  };
}

/** The kinds of findings of a line, by the leg that it is compared with. */
function judgeLine(money: Money, line: Line, leg: LegSum | undefined): string[] {
  if (money !== 'transfer' && money !== 'return') return [money];
  if (!leg) {
    if (money === 'return') return ['return_not_reported'];
    return [line.operation === undefined ? 'unknown_line' : 'not_counted'];
  }
  const differs = (stated: bigint | undefined, recorded: bigint | undefined) =>
    stated !== undefined && recorded !== undefined && stated !== recorded;
  const other = differs(line.operation, leg.operation) || differs(line.ofLeg, leg.ofLeg);
  return [
    ...(other || line.direction !== leg.direction ? ['operation_differs'] : []),
    ...(line.amount === leg.amount ? [] : ['amount_differs']),
  ];
}
