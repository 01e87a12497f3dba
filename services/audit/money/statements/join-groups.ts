import type { Partitions } from '../../log/spill/partitions.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { formatExactMinor } from '../../log/operation/exact-arithmetic.ts';
import { differing, parseOperationKey, type BookRecord } from './booked.ts';
import { balanceDiffers, type DayStatement } from './imports.ts';
import {
  findingKey,
  join,
  type FindingClosing,
  type Days,
  type JoinResult,
  type FindingAmounts,
} from './join.ts';
import type { MoneyRecord } from './records.ts';

type ClosedFinding = FindingClosing & { envelope: Pick<EventEnvelope, 'event'> };

/** The audit's state of statements while it reads the log. */
export type JoinState = {
  partitions: Partitions;
  accounts: Map<string, number>;
  statements: Map<string, DayStatement>;
  byIndex: DayStatement[];
  /** By the key of the finding's leg, or for `ledger_differs` of its operation. */
  closings: Map<string, ClosedFinding[]>;
  /** The last note on `balance_differs`, by the statement's number. */
  balances: Map<number, FindingClosing>;
  books: Partitions;
  figures: { confirmed: number; closed: number; open: number };
};

/** Once the log is read: checks all records of one key, and counts findings as open or closed. */
export function joinGroup(
  { byIndex, closings, figures }: JoinState,
  [key, records]: [string, MoneyRecord[]],
  days: Days,
  report: Report,
): void {
  const all = records.filter((each) => each.of === 'line');
  const legs = records.filter((each) => each.of === 'leg');
  const lines = all.filter((line) => byIndex[line.statement]?.imported?.import === line.import);
  const { confirmed, findings } = join(lines, legs, days);
  const last = new Map<string, FindingClosing>();
  for (const each of closings.get(key) ?? []) {
    const ofOperation = legs.filter(
      ({ operation }) => each.operation === undefined || operation === each.operation,
    );
    const there =
      all.some(
        (line) =>
          isAboutLine(line, each) &&
          isOfMoney(line, each) &&
          (line.operation === undefined
            ? each.operation === undefined || ofOperation.length > 0
            : each.operation === undefined || line.operation === each.operation),
      ) ||
      (each.finding === 'not_in_statement' &&
        ofOperation.some((leg) => isOfMoney(leg, each) && leg.position < each.position));
    if (!there) reportWithoutSubject(report, each);
    last.set(findingKey(each), each);
  }
  closings.delete(key);
  const closed = countClosed(findings, last);
  figures.confirmed += confirmed;
  figures.closed += closed;
  figures.open += findings.size - closed;
}

/**
 * A note of an old version names no kind of money, or no operation either: it is about one finding,
 * the first that has its amounts.
 */
function countClosed(
  findings: JoinResult['findings'],
  last: ReadonlyMap<string, FindingClosing>,
): number {
  const used = new Set([...findings.keys()].filter((key) => last.has(key)));
  let closed = 0;
  for (const [key, { oldKeys, ...amounts }] of findings) {
    let note = last.get(key);
    for (const oldKey of oldKeys) {
      const old = last.get(oldKey);
      if (used.has(oldKey) || !isClosed(amounts, old?.amounts)) continue;
      used.add(oldKey);
      note ??= old;
    }
    if (isClosed(amounts, note?.amounts)) closed += 1;
  }
  return closed;
}

/** Compares an operation's money in the books with what the operation counts. */
export function joinBooks(
  { byIndex, closings, figures }: JoinState,
  [key, records]: [string, BookRecord[]],
  days: Days,
  report: Report,
): void {
  const byStatement = new Map<number, { booked: bigint; counted: bigint }>();
  for (const { account, day, booked, counted, posted } of differing(records)) {
    const statement = days.statementOf(account, day);
    const event = statement === undefined ? undefined : byIndex[statement]?.at;
    if (statement === undefined || !event) continue;
    const message = `of operation ${parseOperationKey(key)} the ledger has ${formatExactMinor(booked)}, but it counts ${formatExactMinor(counted)}`;
    // An entry that is missing entirely may still be in flight: other rules cover that.
    if (posted) createFlag({ report }, { event })('statement.books', message);
    const sums = byStatement.get(statement) ?? { booked: 0n, counted: 0n };
    byStatement.set(statement, { booked: sums.booked + booked, counted: sums.counted + counted });
  }
  const last = new Map<number, FindingClosing>();
  for (const each of (closings.get(key) ?? []).filter(
    ({ finding }) => finding === 'ledger_differs',
  )) {
    if (!records.some(({ position }) => position < each.position))
      reportWithoutSubject(report, each);
    last.set(each.statement, each);
  }
  closings.delete(key);
  for (const [statement, { booked, counted }] of byStatement) {
    if (booked === counted) continue;
    const sign = (counted === 0n ? booked : counted) > 0n ? 1n : -1n;
    const amounts = { amount: sign * booked, counted: sign * counted };
    figures[isClosed(amounts, last.get(statement)?.amounts) ? 'closed' : 'open'] += 1;
  }
}

/** Checks balances that don't follow from the previous one or from the lines. */
export function joinBalances({ byIndex, balances, figures }: JoinState, days: Days): void {
  for (const statement of byIndex) {
    const before = days.statementOf(statement.account, statement.day - 1);
    const amounts = balanceDiffers(statement, before === undefined ? undefined : byIndex[before]);
    if (amounts)
      figures[isClosed(amounts, balances.get(statement.index)?.amounts) ? 'closed' : 'open'] += 1;
  }
}

const isOfMoney = (record: MoneyRecord, { money }: FindingClosing): boolean =>
  money === undefined || record.money === money;

/** Whether an earlier line, of any import, had the amount that was noted. */
const isAboutLine = (
  line: Extract<MoneyRecord, { of: 'line' }>,
  { statement, position, amounts }: FindingClosing,
): boolean =>
  line.statement === statement &&
  line.position < position &&
  (amounts.amount === undefined || line.amount === amounts.amount);

/** A note applies while the finding has the same amounts as then; old notes did not record them. */
function isClosed(now: FindingAmounts, then: FindingAmounts | undefined): boolean {
  if (!then) return false;
  const hasAmounts = then.amount !== undefined || then.counted !== undefined;
  return !hasAmounts || (now.amount === then.amount && now.counted === then.counted);
}

/** Reports a closed finding whose line or operation does not exist. */
export const reportWithoutSubject = (report: Report, { finding, envelope }: ClosedFinding): void =>
  createFlag({ report }, envelope)(
    'statement.closed',
    `a finding ${finding} is closed, but neither the statement nor an operation has its subject`,
  );
