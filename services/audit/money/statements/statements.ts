import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { decodeLateEvent } from '#shared/domain/late/events.ts';
import {
  decodeStatementEvent,
  statementStream,
  type StatementEvent,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { dayMs } from '#shared/domain/day.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { parseExactMinor } from '../../log/operation/exact-arithmetic.ts';
import { isEnding, auditedRoute, type OperationFacts } from '../../log/operation/fold.ts';
import { createPartitions, partitionCount } from '../../log/spill/partitions.ts';
import {
  bookRecordBytes,
  endPart,
  latePart,
  operationKey,
  readBookRecords,
  writeBookRecord,
} from './booked.ts';
import {
  joinBalances,
  joinBooks,
  joinGroup,
  reportWithoutSubject,
  type JoinState,
} from './join-groups.ts';
import { applyImport, applyLines, type DayStatement } from './imports.ts';
import type { Days } from './join.ts';
import { entryRecord, moneyIn, type OperationMoney, type EntryPosting } from './money-in.ts';
import {
  hashId,
  legKey,
  moneys,
  readRecords,
  moneyRecordBytes,
  writeRecord,
  type MoneyRecord,
} from './records.ts';

/**
 * Compares providers' statements with the legs of operations, and the books with both, by the
 * auditor's own code. Lines, legs and entries are spilled to files, as there may be more than
 * memory holds. Facts about statements and closed findings stay in memory.
 */
export type StatementComparison = ReturnType<typeof createStatementComparison>;

const toDayNumber = (time: string): number => Math.floor(Date.parse(time) / dayMs);

export function createStatementComparison(folder: string) {
  const state: JoinState = {
    partitions: createPartitions(folder, 'statements', moneyRecordBytes),
    accounts: new Map(),
    statements: new Map(),
    byIndex: [],
    closings: new Map(),
    balances: new Map(),
    books: createPartitions(folder, 'booked', bookRecordBytes),
    figures: { confirmed: 0, closed: 0, open: 0 },
  };
  return {
    take: (context: { report: Report }, envelope: EventEnvelope): void =>
      applyStatementEvent(state, context, envelope),

    /** Adds the money of an operation's event, after the operation has applied it. */
    operation: (
      facts: OperationFacts,
      event: OperationEvent,
      { event: { position } }: Pick<EventEnvelope, 'event'>,
    ): void => {
      for (const money of moneyIn(facts, event)) addCounted(state, facts, money, position);
      if (!isEnding(event.type)) return;
      const of = { operation: operationKey(facts.operationId), part: endPart, account: 0, day: 0 };
      state.books.add(writeBookRecord({ ...of, what: 'ended', amount: 0n, position }));
    },

    /** Adds the money that an entry moves at the provider. */
    entry: (facts: OperationFacts | undefined, posted: EntryPosting): void => {
      const record = facts && entryRecord(facts, posted);
      if (record) state.books.add(writeBookRecord(record));
    },

    /** Adds the money of a late fact. */
    late: (facts: OperationFacts | undefined, envelope: EventEnvelope): void => {
      const money = lateMoney(envelope);
      if (facts && money) addCounted(state, facts, money, envelope.event.position);
    },

    /** Once the log is read: checks that every closed finding was a real one. */
    end: ({ report }: { report: Report }): void => {
      if (state.statements.size === 0) return;
      conclude(state, report);
    },

    /** Statements cover all shops, so there are no notes about one shop. */
    notes: (shopId?: string): string[] => {
      const { statements, figures } = state;
      if (statements.size === 0 || shopId !== undefined) return [];
      const { confirmed, open, closed } = figures;
      return [
        `statements of providers: ${statements.size} days, ${confirmed} lines confirmed, ${open} findings open, ${closed} closed by operators`,
      ];
    },
    close: () => {
      state.partitions.close();
      state.books.close();
    },
  };
}

/** The money of a late event; undefined if it is not about money. */
function lateMoney(envelope: EventEnvelope): OperationMoney | undefined {
  const { type, data } = decodeLateEvent(envelope);
  if (!('leg' in data)) return undefined;
  const { attempt, leg, provider_leg_id: id = leg.leg_id } = data;
  const ofLegId = 'of_leg_id' in data ? data.of_leg_id : undefined;
  // Money approved by hand is already in the ledger.
  const booked =
    type === 'ApprovedMoneyConfirmed'
      ? undefined
      : { part: latePart(leg.leg_id, ofLegId), dated: true };
  return {
    attempt,
    leg: { ...leg, leg_id: id },
    money: ofLegId === undefined ? 'transfer' : 'return',
    ofLegId,
    amount: parseExactMinor(leg.amount),
    booked,
    // No transfer has an approval.
    ...(type === 'DifferenceReported' && data.of === 'approval' && { synthetic: true }),
  };
}

/** Adds money that an operation counts, to compare with statement lines and with the books. */
function addCounted(
  state: JoinState,
  facts: OperationFacts,
  money: OperationMoney,
  position: number,
): void {
  const record = legRecord(state, facts, money, position);
  if (!money.synthetic) state.partitions.add(writeRecord(record));
  const { booked } = money;
  if (!booked) return;
  const { direction, account, day } = record;
  const amount = direction === 'in' ? money.amount : -money.amount;
  const of = { operation: operationKey(facts.operationId), part: booked.part, position };
  state.books.add(
    writeBookRecord({ ...of, what: 'counted', amount, account, day: booked.dated ? day : 0 }),
  );
}

function conclude(state: JoinState, report: Report): void {
  const days = createDays(state);
  for (let number = 0; number < partitionCount; number += 1)
    for (const group of Map.groupBy(readRecords(state.partitions.at(number)), ({ key }) => key))
      joinGroup(state, group, days, report);
  for (let number = 0; number < partitionCount; number += 1) {
    const records = readBookRecords(state.books.at(number));
    for (const group of Map.groupBy(records, ({ operation }) => operation))
      joinBooks(state, group, days, report);
  }
  joinBalances(state, days);
  for (const left of state.closings.values())
    for (const each of left) reportWithoutSubject(report, each);
}

function findOrAddAccount(
  { accounts }: JoinState,
  { provider, account, currency }: Omit<StatementOf, 'day'>,
) {
  const name = `${provider}\0${account}\0${currency}`;
  const index = accounts.get(name) ?? accounts.size;
  accounts.set(name, index);
  return { name, index };
}

function findOrAddStatement(state: JoinState, of: StatementOf): DayStatement {
  const { statements, byIndex } = state;
  const stream = statementStream(of);
  const existing = statements.get(stream);
  if (existing) return existing;
  const account = findOrAddAccount(state, of).index;
  const made = { index: byIndex.length, account, day: toDayNumber(of.day), latestImport: 0 };
  byIndex.push(made);
  statements.set(stream, made);
  return made;
}

function applyStatementEvent(
  state: JoinState,
  context: { report: Report },
  envelope: EventEnvelope,
): void {
  const { type, data } = decodeStatementEvent(envelope);
  const statement = findOrAddStatement(state, data);
  const flag = createFlag(context, envelope);
  if (type === 'StatementLinesRead') {
    flag('statement.whole', applyLines(statement, data));
    storeLines(state, statement, data, envelope.event.position);
  } else if (type === 'StatementImported') {
    flag('statement.whole', applyImport(statement, data));
    const { stream, revision, position } = envelope.event;
    statement.at = { stream, revision, position };
  } else flag('statement.closed', applyClosing(state, statement, data, envelope));
}

function storeLines(
  state: JoinState,
  statement: DayStatement,
  data: LinesRead,
  position: number,
): void {
  const { name } = findOrAddAccount(state, data);
  for (const { line, kind, direction, leg_id, of_leg_id, operation_id, amount } of data.lines)
    state.partitions.add(
      writeRecord({
        of: 'line',
        key: legKey(name, leg_id),
        money: kind === 'chargeback' ? 'return' : kind,
        direction,
        operation: hashId(operation_id),
        ofLeg: hashId(of_leg_id),
        amount: parseExactMinor(amount),
        position,
        statement: statement.index,
        import: data.import,
        line,
      }),
    );
}

function applyClosing(
  state: JoinState,
  statement: DayStatement,
  data: ClosingData,
  { event }: EventEnvelope,
): string | undefined {
  const { finding_id: id, finding, amount, counted } = data;
  if (!statement.imported) return `${id} is closed for a day without an import`;
  const amounts = {
    amount: amount === undefined ? undefined : parseExactMinor(amount),
    counted: counted === undefined ? undefined : parseExactMinor(counted),
  };
  const closed = { statement: statement.index, finding, amounts, position: event.position };
  if (id === 'balance_differs' && finding === id) {
    state.balances.set(statement.index, closed);
    return statement.hasBalance ? undefined : 'a balance is closed, but no import has one';
  }
  const [whole, money, named, about = ''] =
    /^(?:\.(transfer|return))?(?:@([^:]*))?:(.*)$/s.exec(id.slice(finding.length)) ?? [];
  if (!id.startsWith(finding) || whole === undefined) return `${id} is closed as ${finding}`;
  const [, twice, line] = /^(.*):(\d+)$/s.exec(about) ?? [];
  const duplicate = finding === 'duplicate_line';
  const key =
    finding === 'ledger_differs'
      ? operationKey(about)
      : legKey(findOrAddAccount(state, data).name, duplicate ? (twice ?? '') : about);
  const closing = {
    ...closed,
    // Old versions named no kind of money, and the oldest no operation.
    money: moneys.find((each) => each === money),
    line: duplicate ? Number(line) : undefined,
    operation: hashId(named?.replaceAll('%3A', ':').replaceAll('%25', '%')),
    envelope: { event },
  };
  state.closings.set(key, [...(state.closings.get(key) ?? []), closing]);
  return undefined;
}

function createDays({ byIndex }: JoinState): Days {
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
  state: JoinState,
  facts: OperationFacts,
  { attempt, leg, money, amount, ofLegId }: OperationMoney,
  position: number,
): Extract<MoneyRecord, { of: 'leg' }> {
  const route = facts.attempts.find((each) => each.attempt === attempt) ?? auditedRoute(facts);
  const { provider = '', account = defaultAccount } = route ?? {};
  const { name, index } = findOrAddAccount(state, { provider, account, currency: facts.currency });
  return {
    of: 'leg',
    key: legKey(name, leg.leg_id),
    money,
    direction: (facts.type === 'payment') === (money === 'transfer') ? 'in' : 'out',
    operation: hashId(facts.operationId),
    ofLeg: hashId(ofLegId),
    amount,
    position,
    account: index,
    day: toDayNumber(leg.completed_at),
  };
}
