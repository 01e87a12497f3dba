import type { Money, MoneyRecord } from './records.ts';

type Line = Extract<MoneyRecord, { of: 'line' }>;
type Leg = Extract<MoneyRecord, { of: 'leg' }>;
/** The amounts of a finding: by the statement, and by the operations. */
export type Says = { amount?: bigint | undefined; counted?: bigint | undefined };
export type Closing = {
  statement: number;
  finding: string;
  line: number | undefined;
  position: number;
  says: Says;
};

/** The result for all records of one leg id at one account, by the auditor's own matching. */
export type Joined = {
  confirmed: number;
  /** By `<statement> <kind>`, and the line if it is one of several. */
  findings: Map<string, Says>;
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
    const known = byOperation.get(leg.operation);
    if (known)
      Object.assign(known, { amount: known.amount + leg.amount, ofLeg: known.ofLeg ?? leg.ofLeg });
    else byOperation.set(leg.operation, { ...leg, statedOn: [] });
  }
  return [...byOperation.values()].filter(({ amount }) => amount !== 0n);
}

function joinMoney(
  money: Money,
  { lines, counted }: { lines: readonly Line[]; counted: readonly Counted[] },
  { days, joined }: { days: Days; joined: Joined },
): void {
  const isRepeated = createRepeated();
  const find = (statement: number, kind: string, says: Says) => {
    const id = `${statement} ${kind}`;
    if (!joined.findings.has(id)) joined.findings.set(id, says);
  };
  for (const line of lines) {
    if (isRepeated(line)) {
      find(line.statement, `duplicate_line ${line.line}`, { amount: line.amount });
      continue;
    }
    const { kinds, leg } = judgeLine(money, line, counted);
    leg?.statedOn.push(days.dayOf(line.statement));
    if (kinds.length === 0) joined.confirmed += 1;
    for (const kind of kinds)
      find(line.statement, kind, { amount: line.amount, counted: leg?.amount });
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
      find(statement, 'not_in_statement', { counted: leg.amount });
  }
}

/**
 * Finds lines of money that an earlier one had: a leg id is unique only within an operation, where
 * the lines name one.
 */
function createRepeated(): (line: Line) => boolean {
  const named = new Set<bigint>();
  let [some, unnamed] = [false, false];
  return ({ operation }) => {
    const repeated = operation === undefined ? some : unnamed || named.has(operation);
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
  const differs = (said: bigint | undefined, known: bigint | undefined) =>
    said !== undefined && known !== undefined && said !== known;
  const other = differs(line.operation, leg.operation) || differs(line.ofLeg, leg.ofLeg);
  const kinds = [
    ...(other || line.direction !== leg.direction ? ['operation_differs'] : []),
    ...(line.amount === leg.amount ? [] : ['amount_differs']),
  ];
  return { kinds, leg };
}
