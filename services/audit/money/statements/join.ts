import type { Money, MoneyRecord } from './records.ts';

type Line = Extract<MoneyRecord, { of: 'line' }>;
type Leg = Extract<MoneyRecord, { of: 'leg' }>;
/** The amounts of a finding: by the statement, and by the operations. */
export type Amounts = { amount?: bigint | undefined; counted?: bigint | undefined };
/** What a finding is about. */
type About = {
  statement: number;
  finding: string;
  /** The number of a repeated line, of which there are several. */
  line?: number | undefined;
  /** A hash of the operation's id; undefined if none is known, and in notes of old versions. */
  operation?: bigint | undefined;
};
export type Closing = About & { position: number; amounts: Amounts };

export const findingKey = ({ statement, finding, line, operation }: About): string =>
  `${statement} ${finding}${line === undefined ? '' : ` ${line}`}${operation === undefined ? '' : `@${operation}`}`;

/** The result for all records of one leg id at one account, by the auditor's own matching. */
export type Joined = {
  confirmed: number;
  /** By `findingKey`. `oldKey`: the key without the operation, as in old notes. */
  findings: Map<string, Amounts & { oldKey: string }>;
};

/** The day of a statement, and the statement of an account's day. */
export type Days = {
  dayOf(statement: number): number;
  statementOf(account: number, day: number): number | undefined;
};

/** `lines`: only those of imports in force. */
export function join(lines: readonly Line[], legs: readonly Leg[], days: Days): Joined {
  const joined: Joined = { confirmed: 0, findings: new Map() };
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

/** `statedOn`: the days whose statements have it. */
type Counted = Omit<Leg, 'position'> & { statedOn: number[] };

/** Sums the parts of each leg; a leg that was taken back is left out. */
function countedBy(legs: readonly Leg[]): Counted[] {
  const byOperation = new Map<bigint | undefined, Counted>();
  for (const leg of legs) {
    const existing = byOperation.get(leg.operation);
    if (existing)
      Object.assign(existing, {
        amount: existing.amount + leg.amount,
        ofLeg: existing.ofLeg ?? leg.ofLeg,
      });
    else byOperation.set(leg.operation, { ...leg, statedOn: [] });
  }
  return [...byOperation.values()].filter(({ amount }) => amount !== 0n);
}

function joinMoney(
  money: Money,
  { lines, counted }: { lines: readonly Line[]; counted: readonly Counted[] },
  { days, joined }: { days: Days; joined: Joined },
): void {
  const isRepeated = createRepeated(counted);
  const find = (about: About, amounts: Amounts) => {
    const key = findingKey(about);
    const oldKey = findingKey({ ...about, operation: undefined });
    if (!joined.findings.has(key)) joined.findings.set(key, { ...amounts, oldKey });
  };
  for (const line of lines) {
    const { statement } = line;
    if (isRepeated(line)) {
      find({ statement, finding: 'duplicate_line', line: line.line }, { amount: line.amount });
      continue;
    }
    const { kinds, leg } = judgeLine(money, line, counted);
    leg?.statedOn.push(days.dayOf(statement));
    if (kinds.length === 0) joined.confirmed += 1;
    const operation = line.operation ?? leg?.operation;
    for (const finding of kinds)
      find({ statement, finding, operation }, { amount: line.amount, counted: leg?.amount });
  }
  for (const leg of counted) {
    const statement = days.statementOf(leg.account, leg.day);
    const elsewhere = lines.some((line) => {
      const day = days.dayOf(line.statement);
      const isNeighbour = day < leg.day || day === leg.day + 1;
      return isNeighbour && (line.operation ?? leg.operation) === leg.operation;
    });
    // A line on a later day still confirms the money, but its own day's statement lacks it.
    if (statement !== undefined && !leg.statedOn.includes(leg.day) && !elsewhere)
      find(
        { statement, finding: 'not_in_statement', operation: leg.operation },
        { counted: leg.amount },
      );
  }
}

/**
 * Finds lines of money that an earlier one had: a leg id is unique only within an operation, where
 * the lines name one. One that names none may be of any operation that counts the money.
 */
function createRepeated(counted: readonly Counted[]): (line: Line) => boolean {
  const named = new Set<bigint>();
  let [some, unnamed] = [false, false];
  return ({ operation }) => {
    const isOnlyOne = counted.every((leg) => leg.operation === operation);
    const repeated =
      operation === undefined ? some : named.has(operation) || (unnamed && isOnlyOne);
    some = true;
    if (operation === undefined) unnamed = true;
    else named.add(operation);
    return repeated;
  };
}

function judgeLine(
  money: Money,
  line: Line,
  counted: readonly Counted[],
): { kinds: string[]; leg?: Counted } {
  if (money !== 'transfer' && money !== 'return') return { kinds: [money] };
  const named = counted.find(({ operation }) => operation === line.operation);
  const leg = named ?? (counted.length === 1 ? counted[0] : undefined);
  if (!leg) {
    if (money === 'return') return { kinds: ['return_not_reported'] };
    return { kinds: [line.operation === undefined ? 'unknown_line' : 'not_counted'] };
  }
  const differs = (stated: bigint | undefined, recorded: bigint | undefined) =>
    stated !== undefined && recorded !== undefined && stated !== recorded;
  const other = differs(line.operation, leg.operation) || differs(line.ofLeg, leg.ofLeg);
  const kinds = [
    ...(other || line.direction !== leg.direction ? ['operation_differs'] : []),
    ...(line.amount === leg.amount ? [] : ['amount_differs']),
  ];
  return { kinds, leg };
}
