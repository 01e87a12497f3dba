import { fromMinor, toMinor } from '../../ledger/minor.ts';
import type { StoredLine } from '../events.ts';
import { findingId, type FindingKind } from '../findings.ts';

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
  kind: 'transfer' | 'return';
  legId: string;
  /** The leg whose money was returned, for a return. */
  ofLegId?: string;
  operationId: string;
  /** Seen from the account with the provider. */
  direction: StoredLine['direction'];
  amount: string;
  completedAt: string;
};

type DayOfStatement = {
  day: string;
  lines: readonly StoredLine[];
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
};

export type Matched = DayOfStatement & {
  /** The lines of earlier days, and those of the day after. */
  earlier: readonly LineName[];
  next: readonly LineName[];
  /** The closing balance of the day before, if that day was imported. */
  closedBefore?: string | undefined;
  /** All that was completed on the day, and all whose leg a line has. */
  counted: Iterable<CountedMoney>;
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

type Match = {
  /** Lines that say just what an operation counts. */
  confirmed: { line: number; legId: string; operationId: string }[];
  findings: Finding[];
};

const kindOfLine = ({ kind }: Pick<StoredLine, 'kind'>) =>
  kind === 'chargeback' ? 'return' : kind;

/** The fields of a line that identify its money. */
type LineName = Pick<StoredLine, 'kind' | 'leg_id' | 'operation_id'>;

const lineKey = (line: Pick<StoredLine, 'kind' | 'leg_id'>): string =>
  `${kindOfLine(line)} ${line.leg_id}`;

/**
 * Whether a line is of the money of an earlier one: a leg id is unique only within an operation,
 * where the lines name one. An earlier line that names none may be of any operation that counts
 * such money.
 */
function isRepeated(line: LineName, earlier: LineName, money: Money): boolean {
  const key = lineKey(line);
  if (lineKey(earlier) !== key) return false;
  if (line.operation_id === undefined) return true;
  if (earlier.operation_id !== undefined) return earlier.operation_id === line.operation_id;
  const sameLine = money.get(key) ?? [];
  return sameLine.every(({ operationId }) => operationId === line.operation_id);
}

/**
 * Compares a day's statement with what the operations count. The result depends on the order of
 * neither.
 */
export function match(input: Matched): Match {
  const money = byLeg(input.counted);
  const confirmed: Match['confirmed'] = [];
  const findings: Finding[] = [];
  const before: LineName[] = [...input.earlier];
  const inOrder = input.lines.toSorted((left, right) => left.line - right.line);
  for (const line of inOrder) {
    const again = before.some((each) => isRepeated(line, each, money));
    before.push(line);
    if (again) {
      findings.push(about('duplicate_line', line, { line: line.line }));
      continue;
    }
    const judgement = judgeLine(line, money);
    if (judgement.counted) judgement.counted.stated = true;
    findings.push(...judgement.findings);
    if (judgement.counted && judgement.findings.length === 0)
      confirmed.push({
        line: line.line,
        legId: line.leg_id,
        operationId: judgement.counted.operationId,
      });
  }
  findings.push(...notInStatement(input, money), ...balanceDiffers(input));
  return { confirmed, findings: onceEach(findings) };
}

/** What one operation counts of one leg. */
type OfLeg = Omit<CountedMoney, 'amount'> & { minor: bigint; stated?: true };

/** By the key of its line: some providers give two operations one leg id. */
type Money = ReadonlyMap<string, OfLeg[]>;

function byLeg(counted: Iterable<CountedMoney>): Money {
  const money = new Map<string, OfLeg[]>();
  for (const { amount, ...each } of counted) {
    const key = `${each.kind} ${each.legId}`;
    const sameLine = money.get(key) ?? [];
    money.set(key, sameLine);
    const same = sameLine.find(({ operationId }) => operationId === each.operationId);
    if (same) same.minor += toMinor(amount);
    else sameLine.push({ ...each, minor: toMinor(amount) });
  }
  // Money that a provider no longer reports adds up to zero, and is not counted.
  for (const [key, sameLine] of money)
    money.set(
      key,
      sameLine.filter(({ minor }) => minor !== 0n),
    );
  return money;
}

function judgeLine(
  line: StoredLine,
  money: Money,
): { counted?: OfLeg | undefined; findings: Finding[] } {
  switch (line.kind) {
    case 'fee':
    case 'settlement':
    case 'other':
      return { findings: [about(line.kind, line)] };
    case 'transfer':
    case 'return':
    case 'chargeback': {
      const counted = countedFor(line, money);
      return { counted, findings: counted ? differences(line, counted) : [unknownMoney(line)] };
    }
  }
}

/** The operation that the line names, else the only one there is. */
function countedFor(line: StoredLine, money: Money): OfLeg | undefined {
  const sameLine = money.get(lineKey(line)) ?? [];
  const named = sameLine.find(({ operationId }) => operationId === line.operation_id);
  if (named) return named;
  return sameLine.length === 1 ? sameLine[0] : undefined;
}

function unknownMoney(line: StoredLine): Finding {
  if (line.kind !== 'transfer') return about('return_not_reported', line);
  return about(line.operation_id === undefined ? 'unknown_line' : 'not_counted', line);
}

function differences(line: StoredLine, counted: OfLeg): Finding[] {
  const { operationId, direction, minor, ofLegId } = counted;
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

/** Money of the day that neither this statement nor a neighbour's has. */
function notInStatement({ day, earlier, next }: Matched, money: Money): Finding[] {
  const neighbours = [...earlier, ...next];
  return [...money].flatMap(([key, sameLine]) => {
    const ofLeg = neighbours.filter((line) => lineKey(line) === key);
    const missing = sameLine.filter(
      ({ completedAt, stated, operationId }) =>
        !stated &&
        completedAt.startsWith(day) &&
        ofLeg.every((line) => (line.operation_id ?? operationId) !== operationId),
    );
    return missing.map(({ legId, operationId, minor }) => ({
      id: findingId('not_in_statement', { legId, operationId }),
      kind: 'not_in_statement' as const,
      legId,
      operationId,
      counted: fromMinor(minor),
    }));
  });
}

/** A leg and its return may share an id: one finding is enough. */
function onceEach(findings: readonly Finding[]): Finding[] {
  const ids = new Set<string>();
  return findings.filter(({ id }) => {
    if (ids.has(id)) return false;
    ids.add(id);
    return true;
  });
}

function balanceDiffers({
  lines,
  openingBalance,
  closingBalance,
  closedBefore,
}: Matched): Finding[] {
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
