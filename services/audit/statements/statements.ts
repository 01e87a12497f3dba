import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { decodeLateEvent } from '#shared/domain/late/events.ts';
import {
  decodeStatementEvent,
  defaultAccount,
  statementStream,
  type StatementEvent,
  type StatementOf,
} from '#shared/domain/statements/events.ts';
import { accuse, type Seen } from '../findings/accuse.ts';
import type { Report } from '../findings/findings.ts';
import { minorOf } from '../operation/exact.ts';
import { routeOf, type OperationFacts } from '../operation/fold.ts';
import { createPartitions, partitionCount, type Partitions } from '../spill/partitions.ts';
import { takeImport, takeLines, type Statement } from './imports.ts';
import { join, type Closing, type Days, type Says } from './join.ts';
import {
  keyOf,
  moneys,
  operationHash,
  readRecords,
  recordBytes,
  writeRecord,
  type MoneyRecord,
} from './records.ts';

/**
 * Statements of providers held against the legs of operations once more. Lines and legs go to files: there may be more of
 * them than memory holds. What a statement itself needs is kept, and what people closed.
 */
export type Statements = ReturnType<typeof createStatements>;

const dayMs = 86_400_000;
const dayOf = (time: string): number => Math.floor(Date.parse(time) / dayMs);
type Leg = { leg_id: string; amount: string; completed_at: string };
type ClosedFinding = Closing & { seen: Pick<Seen, 'event'> };

type Kept = {
  partitions: Partitions;
  accounts: Map<string, number>;
  statements: Map<string, Statement>;
  byIndex: Statement[];
  /** By the key of the leg that it is about. */
  closings: Map<string, ClosedFinding[]>;
  figures: { confirmed: number; closed: number; open: number };
};

export function createStatements(folder: string) {
  const kept: Kept = {
    partitions: createPartitions(folder, 'statements', recordBytes),
    accounts: new Map(),
    statements: new Map(),
    byIndex: [],
    closings: new Map(),
    figures: { confirmed: 0, closed: 0, open: 0 },
  };
  const add = (money: Counted, facts: OperationFacts, { event: { position } }: Pick<Seen, 'event'>) =>
    kept.partitions.add(writeRecord(legRecord(kept, { money, facts, position })));
  return {
    take: (context: { report: Report }, seen: Seen): void => takeStatement(kept, context, seen),

    /** Money that an operation's event counts, after it was taken into the operation. */
    operation: (facts: OperationFacts, event: OperationEvent, seen: Pick<Seen, 'event'>): void => {
      for (const money of moneyIn(facts, event)) add(money, facts, seen);
    },

    /** Money that a late fact counts. */
    late: (facts: OperationFacts | undefined, seen: Seen): void => {
      const { type, data } = decodeLateEvent(seen);
      if (!facts || !('leg' in data)) return;
      const { attempt, leg } = data;
      const money = type === 'MoneyReturned' ? 'return' : 'transfer';
      add({ attempt, leg, money, amount: minorOf(leg.amount) }, facts, seen);
    },

    /** Once the log is read: every finding that was closed was about something. */
    end: ({ report }: { report: Report }): void => {
      if (kept.statements.size === 0) return;
      const days = daysOf(kept);
      for (let number = 0; number < partitionCount; number += 1)
        for (const group of groupsOf(kept.partitions.at(number))) joinGroup(kept, { group, days, report });
      for (const left of kept.closings.values()) for (const each of left) blame(report, each);
    },

    /** Of no shop alone. */
    notes: (shopId?: string): string[] => {
      const { statements, figures } = kept;
      if (statements.size === 0 || shopId !== undefined) return [];
      const { confirmed, open, closed } = figures;
      return [
        `statements of providers: ${statements.size} days, ${confirmed} lines confirmed, ${open} findings open, ${closed} closed by people`,
      ];
    },
    close: kept.partitions.close,
  };
}

function accountOf({ accounts }: Kept, { provider, account, currency }: Omit<StatementOf, 'day'>) {
  const name = `${provider}\0${account}\0${currency}`;
  const index = accounts.get(name) ?? accounts.size;
  accounts.set(name, index);
  return { name, index };
}

function statementOf(kept: Kept, of: StatementOf): Statement {
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

function takeStatement(kept: Kept, context: { report: Report }, seen: Seen): void {
  const { type, data } = decodeStatementEvent(seen);
  const statement = statementOf(kept, data);
  const judge = (rule: 'statement.whole' | 'statement.closed', message: string | undefined) =>
    message !== undefined && accuse(context, seen, { rule, message });
  if (type === 'StatementLinesRead') {
    judge('statement.whole', takeLines(statement, data));
    keepLines(kept, { statement, data, seen });
  } else if (type === 'StatementImported') judge('statement.whole', takeImport(statement, data));
  else judge('statement.closed', takeClosing(kept, { statement, data, seen }));
}

function keepLines(kept: Kept, given: { statement: Statement; data: LinesRead; seen: Seen }): void {
  const { statement, data, seen } = given;
  const { name } = accountOf(kept, data);
  for (const { line, kind, direction, leg_id, operation_id, amount } of data.lines)
    kept.partitions.add(
      writeRecord({
        of: 'line',
        key: keyOf(name, leg_id),
        money: kind === 'chargeback' ? 'return' : kind,
        direction,
        operation: operation_id === undefined ? undefined : operationHash(operation_id),
        amount: minorOf(amount),
        position: seen.event.position,
        statement: statement.index,
        import: data.import,
        line,
      }),
    );
}

function takeClosing(
  kept: Kept,
  { statement, data, seen }: { statement: Statement; data: ClosingData; seen: Seen },
): string | undefined {
  const { finding_id: id, finding, amount, counted } = data;
  if (!statement.imported) return `${id} is closed of a day of which nothing was imported`;
  if (id === finding) return undefined;
  if (!id.startsWith(`${finding}:`)) return `${id} is closed as ${finding}`;
  // It is about an operation, and about no line or leg.
  if (finding === 'ledger_differs') return undefined;
  const about = id.slice(finding.length + 1);
  const [, twice, line] = /^(.*):(\d+)$/s.exec(about) ?? [];
  const duplicate = finding === 'duplicate_line';
  const key = keyOf(accountOf(kept, data).name, duplicate ? (twice ?? '') : about);
  const closing = {
    statement: statement.index,
    finding,
    line: duplicate ? Number(line) : undefined,
    says: {
      amount: amount === undefined ? undefined : minorOf(amount),
      counted: counted === undefined ? undefined : minorOf(counted),
    },
    position: seen.event.position,
    seen: { event: seen.event },
  };
  kept.closings.set(key, [...(kept.closings.get(key) ?? []), closing]);
  return undefined;
}

function daysOf({ byIndex }: Kept): Days {
  const imported = byIndex.filter((each) => each.imported);
  const byDay = new Map(imported.map((each) => [`${each.account} ${each.day}`, each.index]));
  return {
    dayOf: (index) => byIndex[index]?.day ?? 0,
    statementOf: (account, day) => byDay.get(`${account} ${day}`),
  };
}

function joinGroup(
  { byIndex, closings, figures }: Kept,
  given: { group: [string, MoneyRecord[]]; days: Days; report: Report },
): void {
  const [key, records] = given.group;
  const all = records.filter((each) => each.of === 'line');
  const legs = records.filter((each) => each.of === 'leg');
  const lines = all.filter((line) => byIndex[line.statement]?.imported?.import === line.import);
  const { confirmed, findings } = join(lines, legs, given.days);
  const last = new Map<string, Closing>();
  for (const each of closings.get(key) ?? []) {
    const there =
      all.some((line) => tells(line, each)) ||
      (each.finding === 'not_in_statement' && legs.some((leg) => leg.position < each.position));
    if (!there) blame(given.report, each);
    last.set(`${each.statement} ${each.finding}${each.line === undefined ? '' : ` ${each.line}`}`, each);
  }
  closings.delete(key);
  const closed = [...findings].filter(([id, says]) => isClosed(says, last.get(id)?.says)).length;
  figures.confirmed += confirmed;
  figures.closed += closed;
  figures.open += findings.size - closed;
}

/** A line that stood there before, in whichever import, with the amount that was noted. */
const tells = (line: Extract<MoneyRecord, { of: 'line' }>, { statement, position, says }: Closing): boolean =>
  line.statement === statement &&
  line.position < position &&
  (says.amount === undefined || line.amount === says.amount);

/** A note holds while the finding says what it said then; old notes don't tell what that was. */
function isClosed(now: Says, then: Says | undefined): boolean {
  if (!then) return false;
  const known = then.amount !== undefined || then.counted !== undefined;
  return !known || (now.amount === then.amount && now.counted === then.counted);
}

type LinesRead = Extract<StatementEvent, { type: 'StatementLinesRead' }>['data'];
type ClosingData = Extract<StatementEvent, { type: 'StatementFindingClosed' }>['data'];

const blame = (report: Report, { finding, seen }: ClosedFinding): void =>
  accuse({ report }, seen, {
    rule: 'statement.closed',
    message: `a finding ${finding} is closed, and neither the statement nor an operation has what it is about`,
  });

type Counted = {
  attempt: number | undefined;
  leg: Pick<Leg, 'leg_id' | 'completed_at'>;
  money: (typeof moneys)[number];
  amount: bigint;
};

/** What an event of an operation adds to the money that it counts, each leg before anything of it went back. */
function moneyIn(facts: OperationFacts, { type, data }: OperationEvent): Counted[] {
  if (type === 'LegReceived')
    return [{ attempt: data.attempt, leg: data.leg, money: 'transfer', amount: minorOf(data.leg.amount) }];
  if (type === 'LegCorrected') {
    const amount = minorOf(data.leg.amount) - minorOf(data.was);
    return [{ attempt: data.attempt, leg: data.leg, money: 'transfer', amount }];
  }
  if (type === 'LegReturned') {
    const { attempt, returned, counted } = data;
    return [{ attempt, leg: returned, money: 'return', amount: minorOf(counted) }];
  }
  if (type !== 'OperationCompleted' && type !== 'OperationPartiallyCompleted') return [];
  const attempt = facts.accepted?.attempt;
  return data.legs
    .filter(({ synthetic }) => !synthetic)
    .map((leg) => ({ attempt, leg, money: 'transfer', amount: minorOf(leg.amount) }));
}

function legRecord(
  kept: Kept,
  given: { money: Counted; facts: OperationFacts; position: number },
): MoneyRecord {
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
    operation: operationHash(facts.operationId),
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
