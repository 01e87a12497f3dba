import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  areCaughtUp,
  useDb,
  useOwnEventStore,
  useProjections,
} from '#projections/testing/stores.ts';
import { generateLog } from '../../testing/generated-log.ts';
import { writeLog } from '../../testing/write-log.ts';

const own = useOwnEventStore();

/** Inserts empty statements of each account and currency for every day with activity. */
async function insertStatements(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into gateway.statements (provider, account, currency, day, import, source, lines, total_in, total_out,
      imported_by, imported_at, revision, position)
    select a.provider, a.account, c.currency, d.day, 1, 'provider', 0, 0, 0, 'service:test', now(), 0, 1
    from (select distinct b ->> 'provider' as provider, coalesce(b ->> 'account', 'default') as account
        from gateway.operations, jsonb_array_elements(attempts) b) a
      cross join (select distinct currency from gateway.operations) c
      cross join (
        select (completed_at at time zone 'UTC')::date as day from gateway.legs
        union select (completed_at at time zone 'UTC')::date from gateway.returned_legs
        union select (completed_at at time zone 'UTC')::date from gateway.suspense where completed_at is not null
        union select (completed_at at time zone 'UTC')::date from gateway.approved_money
        union select (posted_at at time zone 'UTC')::date from gateway.journal_entries) d`.execute(
    db,
  );
}

it('has equal ledger and operation sums for each account and day (R22.16)', async () => {
  const log = generateLog({ seed: 7, operations: 400 });
  await writeLog(own.store, log.events);
  const { db } = await useDb();
  const projections = useProjections({ db, store: own.store });
  const isCaughtUp = () => areCaughtUp(projections, db, own.store);
  await eventually('the read models have all', isCaughtUp);
  await insertStatements(db);
  const days = await sql<Record<string, string>>`
    select * from gateway.statement_days where unexplained <> 0 or ledger_moved + explained + unmatched <> 0`.execute(
    db,
  );
  expect(days.rows).toEqual([]);
  const findings = sql`select * from gateway.statement_findings where finding = 'ledger_differs'`;
  expect((await findings.execute(db)).rows).toEqual([]);
  const sums = await sql<{ provider: string; account: string; moved: string; position: string }>`
    select provider, account, currency, sum(ledger_moved) as moved,
      (array_agg(ledger_position order by day desc))[1] as position
    from gateway.statement_days group by 1, 2, 3`.execute(db);
  for (const { moved, position, ...of } of sums.rows)
    expect({ of, sum: moved }).toEqual({ of, sum: position });
  const converted = sql`select from gateway.journal_entries where source_currency is not null and to_provider <> 0`;
  expect((await converted.execute(db)).rows.length).toBeGreaterThan(0);
  const kinds = await sql<{ kind: string }>`
    select distinct kind from gateway.journal_entries where to_provider <> 0 order by 1`.execute(
    db,
  );
  const expected = ['capture', 'credit', 'resolution', 'suspense'];
  expect(kinds.rows.map(({ kind }) => kind)).toEqual(expected);
});
