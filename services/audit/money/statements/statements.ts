import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { decodeLateEvent } from '#shared/domain/late/events.ts';
import {
  decodeStatementEvent,
  statementStream,
  type StatementEvent,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { reportViolation, type Seen } from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { minorOf } from '../../log/operation/exact.ts';
import { isEnding, routeOf, type OperationFacts } from '../../log/operation/fold.ts';
import { createPartitions, partitionCount } from '../../log/spill/partitions.ts';
import {
  bookRecordBytes,
  endPart,
  latePart,
  operationKey,
  readBookRecords,
  writeBookRecord,
} from './booked.ts';
import { blame, joinBalances, joinBooks, joinGroup } from './conclude.ts';
import { takeImport, takeLines, type Statement } from './imports.ts';
import type { Days } from './join.ts';
import type { StatementState } from './state.ts';
import { entryRecord, moneyIn, type Counted, type Posted } from './money-in.ts';
import {
  hashOf,
  keyOf,
  readRecords,
  recordBytes,
  writeRecord,
  type MoneyRecord,
} from './records.ts';

/**
 * Compares providers' statements with the legs of operations, and the books with both, by the
 * auditor's own code. Lines, legs and entries are spilled to files, as there may be more than
 * memory holds. Facts about statements and closed findings stay in memory.
 */
export type Statements = ReturnType<typeof createStatements>;

const dayMs = 86_400_000;
const dayOf = (time: string): number => Math.floor(Date.parse(time) / dayMs);

export function createStatements(folder: string) {
  const kept: StatementState = {
    partitions: createPartitions(folder, 'statements', recordBytes),
    accounts: new Map(),
    statements: new Map(),
    byIndex: [],
    closings: new Map(),
    balances: new Map(),
    books: createPartitions(folder, 'booked', bookRecordBytes),
    figures: { confirmed: 0, closed: 0, open: 0 },
  };
  return {
    take: (context: { report: Report }, seen: Seen): void => takeStatement(kept, context, seen),

    /** Adds the money of an operation's event, after the operation has applied it. */
    operation: (facts: OperationFacts, event: OperationEvent, seen: Pick<Seen, 'event'>): void => {
      for (const money of moneyIn(facts, event)) addCounted(kept, { money, facts, seen });
      if (!isEnding(event.type)) return;
      const of = { operation: operationKey(facts.operationId), part: endPart, account: 0, day: 0 };
      const { position } = seen.event;
      kept.books.add(writeBookRecord({ ...of, what: 'ended', amount: 0n, position }));
    },

    /** Adds the money that an entry moves at the provider. */
    entry: (facts: OperationFacts | undefined, posted: Posted): void => {
      const record = facts && entryRecord(facts, posted);
      if (record) kept.books.add(writeBookRecord(record));
    },

    /** Adds the money of a late fact. */
    late: (facts: OperationFacts | undefined, seen: Seen): void => {
      const money = lateMoney(seen);
      if (facts && money) addCounted(kept, { money, facts, seen });
    },

    /** Once the log is read: checks that every closed finding was a real one. */
    end: ({ report }: { report: Report }): void => {
      if (kept.statements.size === 0) return;
      conclude(kept, report);
    },

    /** Statements cover all shops, so there are no notes about one shop. */
    notes: (shopId?: string): string[] => {
      const { statements, figures } = kept;
      if (statements.size === 0 || shopId !== undefined) return [];
      const { confirmed, open, closed } = figures;
      return [
        `statements of providers: ${statements.size} days, ${confirmed} lines confirmed, ${open} findings open, ${closed} closed by operators`,
      ];
    },
    close: () => {
      kept.partitions.close();
      kept.books.close();
    },
  };
}

/** The money of a late event; undefined if it is not about money. */
function lateMoney(seen: Seen): Counted | undefined {
  const { type, data } = decodeLateEvent(seen);
  if (!('leg' in data)) return undefined;
  const { attempt, leg, provider_leg_id: id = leg.leg_id } = data;
  const ofLegId = 'of_leg_id' in data ? data.of_leg_id : undefined;
  // What was approved by hand is in the books already.
  const booked =
    type === 'ApprovedMoneyConfirmed'
      ? undefined
      : { part: latePart(leg.leg_id, ofLegId), dated: true };
  return {
    attempt,
    leg: { ...leg, leg_id: id },
    money: ofLegId === undefined ? 'transfer' : 'return',
    ofLegId,
    amount: minorOf(leg.amount),
    booked,
    // No transfer has an approval.
    ...(type === 'DifferenceReported' && data.of === 'approval' && { synthetic: true }),
  };
}

/** Adds money that an operation counts, to compare with statement lines and with the books. */
function addCounted(
  kept: StatementState,
  { money, facts, seen }: { money: Counted; facts: OperationFacts; seen: Pick<Seen, 'event'> },
): void {
  const { position } = seen.event;
  const record = legRecord(kept, { money, facts, position });
  if (!money.synthetic) kept.partitions.add(writeRecord(record));
  const { booked } = money;
  if (!booked) return;
  const { direction, account, day } = record;
  const amount = direction === 'in' ? money.amount : -money.amount;
  const of = { operation: operationKey(facts.operationId), part: booked.part, position };
  kept.books.add(
    writeBookRecord({ ...of, what: 'counted', amount, account, day: booked.dated ? day : 0 }),
  );
}

function conclude(kept: StatementState, report: Report): void {
  const days = daysOf(kept);
  for (let number = 0; number < partitionCount; number += 1)
    for (const group of groupsOf(kept.partitions.at(number)))
      joinGroup(kept, { group, days, report });
  for (let number = 0; number < partitionCount; number += 1) {
    const records = [...readBookRecords(kept.books.at(number))];
    for (const group of Map.groupBy(records, ({ operation }) => operation))
      joinBooks(kept, { group, days, report });
  }
  joinBalances(kept, days);
  for (const left of kept.closings.values()) for (const each of left) blame(report, each);
}

function accountOf(
  { accounts }: StatementState,
  { provider, account, currency }: Omit<StatementOf, 'day'>,
) {
  const name = `${provider}\0${account}\0${currency}`;
  const index = accounts.get(name) ?? accounts.size;
  accounts.set(name, index);
  return { name, index };
}

function statementOf(kept: StatementState, of: StatementOf): Statement {
  const { statements, byIndex } = kept;
  const stream = statementStream(of);
  const known = statements.get(stream);
  if (known) return known;
  const account = accountOf(kept, of).index;
  const made = { index: byIndex.length, account, day: dayOf(of.day), begun: 0 };
  byIndex.push(made);
  statements.set(stream, made);
  return made;
}

function takeStatement(kept: StatementState, context: { report: Report }, seen: Seen): void {
  const { type, data } = decodeStatementEvent(seen);
  const statement = statementOf(kept, data);
  const judge = (rule: 'statement.whole' | 'statement.closed', message: string | undefined) =>
    message !== undefined && reportViolation(context, seen, { rule, message });
  if (type === 'StatementLinesRead') {
    judge('statement.whole', takeLines(statement, data));
    keepLines(kept, { statement, data, seen });
  } else if (type === 'StatementImported') {
    judge('statement.whole', takeImport(statement, data));
    const { stream, revision, position } = seen.event;
    statement.at = { stream, revision, position };
  } else judge('statement.closed', takeClosing(kept, { statement, data, seen }));
}

function keepLines(
  kept: StatementState,
  given: { statement: Statement; data: LinesRead; seen: Seen },
): void {
  const { statement, data, seen } = given;
  const { name } = accountOf(kept, data);
  for (const { line, kind, direction, leg_id, of_leg_id, operation_id, amount } of data.lines)
    kept.partitions.add(
      writeRecord({
        of: 'line',
        key: keyOf(name, leg_id),
        money: kind === 'chargeback' ? 'return' : kind,
        direction,
        operation: hashOf(operation_id),
        ofLeg: hashOf(of_leg_id),
        amount: minorOf(amount),
        position: seen.event.position,
        statement: statement.index,
        import: data.import,
        line,
      }),
    );
}

function takeClosing(
  kept: StatementState,
  { statement, data, seen }: { statement: Statement; data: ClosingData; seen: Seen },
): string | undefined {
  const { finding_id: id, finding, amount, counted } = data;
  if (!statement.imported) return `${id} is closed for a day without an import`;
  const says = {
    amount: amount === undefined ? undefined : minorOf(amount),
    counted: counted === undefined ? undefined : minorOf(counted),
  };
  const { position } = seen.event;
  if (id === 'balance_differs' && finding === id) {
    const closing = { statement: statement.index, finding, line: undefined, position, says };
    kept.balances.set(statement.index, closing);
    return statement.toldBalance ? undefined : 'a balance is closed, but no import has one';
  }
  const [, named, about = ''] = /^(?:@([^:]*))?:(.*)$/s.exec(id.slice(finding.length)) ?? [];
  if (!id.startsWith(finding) || !/[:@]/.test(id.charAt(finding.length)))
    return `${id} is closed as ${finding}`;
  const [, twice, line] = /^(.*):(\d+)$/s.exec(about) ?? [];
  const duplicate = finding === 'duplicate_line';
  const key =
    finding === 'ledger_differs'
      ? operationKey(about)
      : keyOf(accountOf(kept, data).name, duplicate ? (twice ?? '') : about);
  const closing = {
    statement: statement.index,
    finding,
    line: duplicate ? Number(line) : undefined,
    // Old versions named no operation.
    operation: hashOf(named?.replaceAll('%3A', ':').replaceAll('%25', '%')),
    says,
    position,
    seen: { event: seen.event },
  };
  kept.closings.set(key, [...(kept.closings.get(key) ?? []), closing]);
  return undefined;
}

function daysOf({ byIndex }: StatementState): Days {
  const imported = byIndex.filter((each) => each.imported);
  const byDay = new Map(imported.map((each) => [`${each.account} ${each.day}`, each.index]));
  return {
    dayOf: (index) => byIndex[index]?.day ?? 0,
    statementOf: (account, day) => byDay.get(`${account} ${day}`),
  };
}

type LinesRead = Extract<StatementEvent, { type: 'StatementLinesRead' }>['data'];
type ClosingData = Extract<StatementEvent, { type: 'StatementFindingClosed' }>['data'];

function legRecord(
  kept: StatementState,
  given: { money: Counted; facts: OperationFacts; position: number },
): Extract<MoneyRecord, { of: 'leg' }> {
  const { money: counted, facts, position } = given;
  const { attempt, leg, money, amount } = counted;
  const route = facts.attempts.find((each) => each.attempt === attempt) ?? routeOf(facts);
  const { provider = '', account = defaultAccount } = route ?? {};
  const { name, index } = accountOf(kept, { provider, account, currency: facts.currency });
  return {
    of: 'leg',
    key: keyOf(name, leg.leg_id),
    money,
    direction: (facts.type === 'payment') === (money === 'transfer') ? 'in' : 'out',
    operation: hashOf(facts.operationId),
    ofLeg: hashOf(counted.ofLegId),
    amount,
    position,
    account: index,
    day: dayOf(leg.completed_at),
  };
}

/** The records of a partition by their key. */
function groupsOf(bytes: Buffer): Map<string, MoneyRecord[]> {
  const groups = new Map<string, MoneyRecord[]>();
  for (const record of readRecords(bytes)) {
    const group = groups.get(record.key);
    if (group) group.push(record);
    else groups.set(record.key, [record]);
  }
  return groups;
}
