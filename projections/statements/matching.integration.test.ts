import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import type { CountedMoney, Finding } from '../testing/match-statement.ts';
import { legsTable, returnedLegsTable } from '../operations/legs.ts';
import { liveSchema as schema } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';
import { projectLateFact } from '../suspense/project.ts';
import { approvedMoneyTable, suspenseTable } from '../suspense/table.ts';
import {
  days,
  expected,
  minor,
  operation,
  sumOf,
  sampleStatements,
  type Counted,
  type Sample,
} from '../testing/any-statements.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { addOperations, analyze, useStatementTables } from '../testing/statement-tables.ts';
import { findFinding } from './query.ts';
import { statementClosingsTable, statementLinesTable, statementsTable } from './tables.ts';

const empty = (db: Kysely<unknown>) =>
  sql`truncate gateway.legs, gateway.returned_legs, gateway.approved_money, gateway.statements, gateway.statement_lines, gateway.suspense`.execute(
    db,
  );

/** Writes the sample for one account; `attempt` is the attempt number of its operations. */
async function write(
  db: Kysely<unknown>,
  sample: Sample,
  { account, attempt } = { account: 'default', attempt: 1 },
): Promise<void> {
  const of = { provider: 'sandbox', account, currency: 'RUB' };
  const base = { attempt, provider: 'sandbox', currency: 'RUB', position: '1' };
  const rowOf = (money: CountedMoney) => ({
    ...base,
    operation_id: money.operationId,
    leg_id: money.legId,
    amount: money.amount,
    completed_at: new Date(money.completedAt),
  });
  const isPart = (money: CountedMoney, index: number) =>
    sample.money.findIndex(
      ({ kind, legId, operationId }) =>
        kind === money.kind && legId === money.legId && operationId === money.operationId,
    ) < index;
  const at = new Date(0);
  await upsertRows(db, {
    table: legsTable,
    schema,
    rows: sample.money
      .filter((money, index) => money.kind === 'transfer' && !isPart(money, index))
      .map((money) => ({
        ...rowOf(money),
        amount: sample.money.some((back) => isBackOf(back, money))
          ? fromMinor(minor(money.amount) - 1000n)
          : money.amount,
        file: false,
        synthetic: false,
        recorded_at: at,
      })),
  });
  await upsertRows(db, {
    table: returnedLegsTable,
    schema,
    rows: sample.money.flatMap((money) =>
      money.before ? [{ ...rowOf(money), of_leg_id: money.ofLegId ?? '', recorded_at: at }] : [],
    ),
  });
  await upsertRows(db, {
    table: approvedMoneyTable,
    schema,
    rows: sample.money.filter(isPart).map((money, index) => {
      return {
        ...rowOf(money),
        entry_id: `${account}-${index}`,
        shop_id: 'shop-1',
        // The id differs from that in the statement.
        leg_id: `2:${money.legId}`,
        provider_leg_id: money.legId,
        received_at: at,
      };
    }),
  });
  const returned = sample.money.filter(({ kind, before }) => kind === 'return' && !before);
  await upsertRows(db, {
    table: suspenseTable,
    schema,
    rows: returned.map((money, index) =>
      returnedRow(money, { attempt, id: `late-${account}-${index}` }),
    ),
  });
  const rows = sample.days.map(({ day, lines, opening = null, closing = null }) => ({
    ...of,
    day,
    import: 2,
    source: 'provider' as const,
    lines: lines.length,
    total_in: fromMinor(sumOf(lines, ['in'])),
    total_out: fromMinor(-sumOf(lines, ['out'])),
    opening_balance: opening,
    closing_balance: closing,
    imported_by: 'service:test',
    imported_at: at,
    revision: 0,
    position: '1',
  }));
  await upsertRows(db, { table: statementsTable, schema, rows });
  const missing = { of_leg_id: null, operation_id: null, attempt: null, position: '1' };
  const lines = sample.days.flatMap(({ day, lines: some }) =>
    some.flatMap((line) => {
      const row = {
        ...of,
        day,
        import: 2,
        ...missing,
        ...line,
        completed_at: new Date(line.completed_at),
      };
      // An earlier import and an incomplete one are ignored.
      return [row, { ...row, import: 1, leg_id: 'leg-1' }, { ...row, import: 3, leg_id: 'leg-2' }];
    }),
  );
  await upsertRows(db, { table: statementLinesTable, schema, rows: lines });
}

/** The event of a returned payout or a charged-back payment. */
function returnedRow(money: CountedMoney, { attempt, id }: { attempt: number; id: string }) {
  const about = {
    operation_id: money.operationId,
    shop_id: 'shop-1',
    merchant_id: 'merchant-1',
    attempt,
  };
  const leg = { leg_id: money.legId, amount: money.amount, completed_at: money.completedAt };
  const kind = money.direction === 'in' ? 'returned' : 'charged_back';
  const data = {
    ...about,
    provider: 'sandbox',
    currency: 'RUB',
    kind,
    of_leg_id: money.ofLegId,
    leg,
  };
  const [event] = storedEvents(id, [{ type: 'MoneyReturned', data }]);
  if (!event) throw new Error('no event');
  return projectLateFact(event);
}

const isBackOf = (back: Counted, leg: Counted) =>
  back.before === true && back.ofLegId === leg.legId && back.operationId === leg.operationId;

type Row = {
  account: string;
  day: string;
  finding_id: string;
  finding: string;
  line: number | null;
  leg_id: string | null;
  operation_id: string | null;
  amount: string | null;
  counted_amount: string | null;
};

it('the view equals the rule for random statements and operations (R22.12, R22.16)', async () => {
  const db = await useStatementTables();
  const types = Array.from({ length: 16 }, (_, n) => {
    return {
      operationId: operation(n),
      type: n % 2 === 0 ? ('payment' as const) : ('payout' as const),
    };
  });
  await addOperations(db, types);
  // The first attempt uses the default account, which has no name; the second uses
  // another one.
  await sql`update gateway.operations set attempts = '[{}, {"account": "second"}]'`.execute(db);
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 200; seed += 1) {
    const [sample, another] = [sampleStatements(seed), sampleStatements(seed + 1_000, 8)];
    await empty(db);
    await write(db, sample);
    await write(db, another, { account: 'second', attempt: 2 });
    if (seed === 1) await analyze(db);
    const { rows } = await sql<Row>`
      select account, day::text, finding_id, finding, line, leg_id, operation_id, amount, counted_amount
      from gateway.statement_findings where finding <> 'ledger_differs'`.execute(db);
    if (seed % 4 === 0) await expectSums(db, seed);
    for (const [account, sampleOfAccount] of Object.entries({ default: sample, second: another }))
      for (const day of sampleOfAccount.days) {
        const actual = rows
          .filter((row) => row.day === day.day && row.account === account)
          .map(asFinding);
        const expectedFindings = expected(sampleOfAccount, day).findings;
        expect(byId(actual), `seed ${seed}, ${account}, ${day.day}`).toEqual(
          byId(expectedFindings.map(comparable)),
        );
        for (const { kind } of expectedFindings) kinds.add(kind);
      }
  }
  // The rule does not cover the ledger.
  expect(kinds.size).toBe(11);
});

it('a note closes one finding, even an old note without an operation (R22.8)', async () => {
  const db = await useStatementTables();
  const operations = [0, 2, 4].map(operation);
  await addOperations(
    db,
    operations.map((operationId) => ({ operationId, type: 'payment' as const })),
  );
  const [day = ''] = days;
  const missing = operations.map((operationId, index): Counted => {
    const amount = index === 0 ? '20.00' : '10.00';
    const completedAt = `${day}T12:00:00.000Z`;
    return { kind: 'transfer', legId: '1', operationId, direction: 'in', amount, completedAt };
  });
  const fee = { kind: 'fee', direction: 'out', leg_id: '1', amount: '1.00' } as const;
  const lines = [
    { ...fee, line: 1, operation_id: operation(0), completed_at: `${day}T12:00:00.000Z` },
    { ...fee, line: 2, operation_id: operation(2), completed_at: `${day}T12:00:00.000Z` },
  ];
  await write(db, { money: missing, days: [{ day, lines }] });
  const of = { provider: 'sandbox', account: 'default', currency: 'RUB', day };
  const statuses = async () => {
    const { rows } = await sql<{ id: string; status: string }>`
      select finding_id as id, status from gateway.statement_findings
      where finding in ('fee', 'not_in_statement') order by finding_id`.execute(db);
    return rows.map(({ id, status }) => `${id} ${status}`);
  };
  const note = (id: string, amounts: { amount?: string; counted_amount?: string }) =>
    upsertRows(db, {
      table: statementClosingsTable,
      schema,
      rows: [
        {
          ...of,
          finding_id: id,
          finding: id.split(/[.:@]/)[0] ?? '',
          amount: null,
          counted_amount: null,
          ...amounts,
          decision: 'explained' as const,
          note: 'as agreed',
          closed_by: 'operator:olga',
          closed_at: new Date(0),
          position: '1',
        },
      ],
    });
  const [first, second, third] = operations.map((id) => `not_in_statement.transfer@${id}:1`);
  const fees = [`fee@${operation(0)}:1 open`, `fee@${operation(2)}:1 open`];
  expect(await statuses()).toEqual([...fees, `${first} open`, `${second} open`, `${third} open`]);

  // Only the first finding with these amounts is closed.
  await note('not_in_statement:1', { counted_amount: '10.00' });
  await note('fee:1', {});
  const noted = [`fee@${operation(0)}:1 closed`, `fee@${operation(2)}:1 open`];
  expect(await statuses()).toEqual([
    ...noted,
    `${first} open`,
    `${second} closed`,
    `${third} open`,
  ]);

  await note(third ?? '', { counted_amount: '10.00' });
  expect(await statuses()).toEqual([
    ...noted,
    `${first} open`,
    `${second} closed`,
    `${third} closed`,
  ]);
  // A newer note of a finding replaces the old one, which then applies to no other.
  await note(second ?? '', { counted_amount: '9.00' });
  await note(third ?? '', { counted_amount: '9.00' });
  expect(await statuses()).toEqual([...noted, `${first} open`, `${second} open`, `${third} open`]);
  expect(await findFinding(db, of, first ?? '')).toMatchObject({ earlier_note: null });
});

it('a note on a transfer leaves a finding of its return open, and an old note closes one (R22.8)', async () => {
  const db = await useStatementTables();
  const operationId = operation(1);
  await addOperations(db, [{ operationId, type: 'payout' }]);
  const [day = ''] = days;
  const leg = { legId: '7', operationId, amount: '9000.00', completedAt: `${day}T12:00:00.000Z` };
  const money: Counted[] = [
    { ...leg, kind: 'transfer', direction: 'out' },
    { ...leg, kind: 'return', direction: 'in', ofLegId: '7' },
  ];
  await write(db, { money, days: [{ day, lines: [] }] });
  const of = { provider: 'sandbox', account: 'default', currency: 'RUB', day };
  const statuses = async () => {
    const { rows } = await sql<{ id: string; status: string; direction: string }>`
      select finding_id as id, status, direction from gateway.statement_findings
      where finding = 'not_in_statement' order by finding_id desc`.execute(db);
    return rows.map(({ id, direction, status }) => `${id} ${direction} ${status}`);
  };
  const note = async (id: string) => {
    await sql`truncate gateway.statement_closings`.execute(db);
    await upsertRows(db, {
      table: statementClosingsTable,
      schema,
      rows: [
        {
          ...of,
          finding_id: id,
          finding: 'not_in_statement',
          amount: null,
          counted_amount: '9000.00',
          decision: 'explained' as const,
          note: 'as agreed',
          closed_by: 'operator:olga',
          closed_at: new Date(0),
          position: '1',
        },
      ],
    });
  };
  const [transfer, back] = ['transfer', 'return'].map(
    (kind) => `not_in_statement.${kind}@${operationId}:7`,
  );
  expect(await statuses()).toEqual([`${transfer} out open`, `${back} in open`]);
  await note(transfer ?? '');
  expect(await statuses()).toEqual([`${transfer} out closed`, `${back} in open`]);
  await note(back ?? '');
  expect(await statuses()).toEqual([`${transfer} out open`, `${back} in closed`]);
  for (const old of [`not_in_statement@${operationId}:7`, 'not_in_statement:7']) {
    await note(old);
    expect((await statuses()).filter((each) => each.endsWith('closed'))).toHaveLength(1);
  }
});

/** The figures of a day equal the sums of its findings. */
async function expectSums(db: Kysely<unknown>, seed: number): Promise<void> {
  const { rows } = await sql`
    select * from gateway.statement_days d
    where statement_moved - ledger_moved <> explained + unmatched + unexplained
      or (unmatched <> 0 and not exists (
        select from gateway.statement_findings f
        where (f.provider, f.account, f.currency, f.day) = (d.provider, d.account, d.currency, d.day)
          and f.finding not in ('fee', 'settlement', 'other', 'balance_differs', 'ledger_differs')))
      or unexplained <> (
        select coalesce(sum((f.counted_amount - f.amount) * case f.direction when 'in' then 1 else -1 end), 0)
        from gateway.statement_findings f
        where (f.provider, f.account, f.currency, f.day) = (d.provider, d.account, d.currency, d.day)
          and f.finding = 'ledger_differs')`.execute(db);
  expect(rows, `seed ${seed}`).toEqual([]);
}

const byId = (findings: readonly { id: string }[]) =>
  findings.toSorted((left, right) => (left.id < right.id ? -1 : 1));
const asFinding = (row: Row) => ({
  id: row.finding_id,
  kind: row.finding,
  line: row.line,
  legId: row.leg_id,
  operationId: row.operation_id,
  amount: row.amount,
  counted: row.counted_amount,
});
const comparable = (finding: Finding) =>
  asFinding({
    account: '',
    day: '',
    finding_id: finding.id,
    finding: finding.kind,
    line: finding.line ?? null,
    leg_id: finding.legId ?? null,
    operation_id: finding.operationId ?? null,
    amount: finding.amount ?? null,
    counted_amount: finding.counted ?? null,
  });
