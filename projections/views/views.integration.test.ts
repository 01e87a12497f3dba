import { sql, type Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { liveSchema } from '../read-model.ts';
import { rebuild } from '../rebuild/rebuild.ts';
import { hashToUuid } from '#shared/application/receipts/uuid.ts';
import { readModels } from '../registry.ts';
import { prepareTables } from '../runner/prepare.ts';
import { sampleId as id, writeSampleLog } from '../testing/sample-log.ts';
import { areLive, linesOf, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import { views } from './registry.ts';
import type { SqlView } from './view.ts';

describe('views', () => {
  const own = useOwnEventStore();
  let end: Promise<bigint> | undefined;
  /** The log that all tests of this file follow. */
  const logEnd = () => (end ??= writeSampleLog(own.store));

  /** A database whose tables have the whole log. */
  async function useTables() {
    await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store });
    await eventually('live', () => areLive(projections));
    return { db, projections, lines: linesOf(db) };
  }

  it('return turnover, conversion, commission, attempts and status times', async () => {
    const { lines } = await useTables();
    expect(
      await lines`select type, provider, currency, operations, partial, amount, settlement_amount, commission_amount
        from gateway.turnover_by_day`,
    ).toEqual(['payment sandbox RUB 2 1 140.00 136.50 3.50']);
    expect(
      await lines`select type, provider, created, accepted, completed, partially_completed, declined, expired, cancelled,
          still_open, acceptance_rate, completion_rate, paid_rate
        from gateway.conversion_by_day order by type, provider`,
    ).toEqual([
      'payment sandbox 3 3 1 1 0 1 0 0 1.0000 0.6667 0.6667',
      'payment - 1 0 0 0 1 0 0 0 0.0000 0.0000 -',
      'payout sandbox 1 1 0 0 0 0 0 1 1.0000 0.0000 0.0000',
    ]);
    expect(
      await lines`select type, bankname, bankname_details, created, accepted, with_money, still_open, amount, paid_rate
        from gateway.conversion_by_bank order by type, bankname`,
    ).toEqual([
      'payment sberbank Сбербанк 3 3 2 0 140.00 0.6667',
      'payment - - 1 0 0 0 0.00 -',
      'payout - - 1 1 0 1 0.00 0.0000',
    ]);
    expect(
      await lines`select method, entries, recorded_amount, commission, percent from gateway.commission_by_day`,
    ).toEqual(['WT_RUB_C2C 2 140.00 3.50 2.5000']);
    expect(
      await lines`select type, provider, sum(created) as created, sum(accepted) as accepted,
          sum(with_money) as with_money, sum(amount) as amount
        from gateway.operations_by_hour group by 1, 2 order by 1, 2`,
    ).toEqual([
      'payment sandbox 3 3 2 140.00',
      'payment - 1 0 0 0.00',
      'payout sandbox 1 1 0 0.00',
    ]);
    expect(
      await lines`select type, method, provider, sum(operations) as operations, min(p50) >= interval '0' as timed,
          bool_and(p50 <= p95 and p95 <= longest) as ordered
        from gateway.completion_time_by_day group by 1, 2, 3`,
    ).toEqual(['payment WT_RUB_C2C sandbox 2 true true']);
    expect(
      await lines`select attempt, provider, outcome, reason from gateway.attempts
        where operation_id = ${id(2)} order by attempt`,
    ).toEqual(['1 other refused limit', '2 sandbox accepted -']);
    expect(
      await lines`select status, left_times, in_it_now, p50 >= interval '0' as timed from gateway.time_in_status
        where type = 'payment' and provider = 'sandbox' order by status`,
    ).toEqual(['creating 3 0 true', 'pending 3 0 true']);
  });

  it('return balances, open reservations, late and returned money, and violations', async () => {
    const { db, lines } = await useTables();
    expect(
      await lines`select currency, balance, reserved, current_minus, entries, read_to >= position as read
        from gateway.balances`,
    ).toEqual(['RUB 1034.00 102.50 0.00 5 true']);
    expect(
      await lines`select operation_id, amount, operation_status, provider, overdue, age > interval '0' as aged
        from gateway.open_reservations`,
    ).toEqual([`${id(5)} 102.50 pending sandbox false true`]);
    expect(
      await lines`select kind, amount, in_suspense, posted_at is not null as posted from gateway.suspense_open`,
    ).toEqual(['late_money 60.00 60.00 true']);
    expect(await lines`select * from gateway.ledger_violations`).toEqual([]);
    expect(
      await lines`select r.receipt_id, e.status, r.amount, r.provider, r.attempt, r.file, r.synthetic, e.receipts_count
        from gateway.evidence e join gateway.receipts r using (operation_id) order by r.amount`,
    ).toEqual([
      // The first is derived from the operation's legs, the second from requested evidence.
      `${hashToUuid(JSON.stringify([id(2), 'l2']))} complete 40.00 sandbox 2 false false 1`,
      `${id(99)} complete 100.00 sandbox 1 true false 1`,
    ]);

    expect(await lines`select * from gateway.returned_money`).toEqual([]);
    await sql`update gateway.suspense set kind = 'payment_charged_back'`.execute(db);
    await sql`insert into gateway.returned_legs (operation_id, leg_id, of_leg_id, currency, amount, completed_at, recorded_at, position)
      select operation_id, 'r1', 'l1', 'RUB', 1.50, now(), '2026-01-01Z', 1 from gateway.suspense`.execute(
      db,
    );
    expect(
      await lines`select r.type, r.provider, r.currency, r.returned_amount, r.last_returned_at = s.received_at as newest
        from gateway.returned_money r join gateway.suspense s using (operation_id)`,
    ).toEqual(['payment sandbox RUB 61.50 true']);

    await sql`update gateway.journal_entries set balance_after = 7 where revision = 2`.execute(db);
    expect(
      await lines`select revision, unbalanced, wrong_balance from gateway.ledger_violations order by 1`,
    ).toEqual(['2 false true', '3 false true']);
  });

  it('have exactly the declared columns, each with a comment', async () => {
    const { db, lines } = await useTables();
    const { rows: actual } =
      await sql`select c.relname as view, array_agg(a.attname::text order by a.attnum) as columns,
        count(*) filter (where col_description(c.oid, a.attnum) is null) as silent,
        obj_description(c.oid) as comment
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'gateway'::regnamespace and c.relkind = 'v' group by c.oid, c.relname order by 1`.execute(
        db,
      );
    expect(actual).toEqual(
      views
        .map(({ name, columns, comment }) => {
          return { view: name, columns: Object.keys(columns), silent: '0', comment };
        })
        .toSorted((left, right) => (left.view < right.view ? -1 : 1)),
    );
    expect(
      await lines`select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'gateway'::regnamespace and c.relkind in ('r', 'v')
        and (col_description(c.oid, a.attnum) is null or obj_description(c.oid) is null)`,
    ).toEqual([]);
  });

  it('survive a swap of their tables, with other views built on them', async () => {
    const { db, lines } = await useTables();
    await sql`create schema reports`.execute(db);
    await sql`create view reports.mine as select day, sum(amount) as amount from gateway.turnover_by_day group by 1`.execute(
      db,
    );
    const before = await lines`select * from gateway.turnover_by_day`;
    const reader = keepReading(db);
    for (const model of readModels) {
      expect(await rebuild({ db, store: own.store, model, logger })).toMatchObject({
        swapped: true,
      });
    }
    expect(await reader.stop()).toBeGreaterThan(0);
    expect(await lines`select * from gateway.turnover_by_day`).toEqual(before);
    expect(await lines`select amount from reports.mine`).toEqual(['140.00']);
    // The views read the new tables.
    await sql`update gateway.operations set actual_amount = 1 where operation_id = ${id(1)}`.execute(
      db,
    );
    expect(await lines`select amount from reports.mine`).toEqual(['41.00']);
    expect(await lines`select 1 from pg_tables where schemaname = 'gateway_retired'`).toEqual([]);
    await db.connection().execute(async (session) => {
      await sql`set role gateway_analyst`.execute(session);
      await sql`select * from gateway.turnover_by_day`.execute(session);
      await sql`reset role`.execute(session);
    });
  });

  it('built by others on a table prevent its replacement', async () => {
    const { db, lines } = await useTables();
    await sql`create schema reports`.execute(db);
    await sql`create view reports.mine as select status from gateway.operations`.execute(db);
    const options = { db, store: own.store, model: operationsReadModel, logger };
    await expect(rebuild(options)).rejects.toThrow(/other objects depend on it/);
    expect(await lines`select count(*) from gateway.turnover_by_day`).toEqual(['1']);
    await sql`drop schema reports cascade`.execute(db);
    expect(await rebuild(options)).toMatchObject({ swapped: true });
  });

  it('are recreated when their definition changes, and dropped when it is removed', async () => {
    const { db, projections, lines } = await useTables();
    await projections.stop();
    const prepare = (some: readonly SqlView[]) =>
      prepareTables(
        db,
        { model: operationsReadModel, schema: liveSchema },
        { logger, views: some },
      );
    const view: SqlView = {
      name: 'sample',
      comment: 'A sample',
      from: [operationsReadModel],
      columns: { status: 'Its status', how_many: 'How many have it' },
      select: 'select status, count(*) as how_many from gateway.operations group by 1',
    };
    await prepare([...views, view]);
    const madeAt = () => lines`select name, made_at::text from projections.views order by 1`;
    const before = await madeAt();
    await prepare([...views, view]);
    expect(await madeAt()).toEqual(before);
    expect(await lines`select how_many from gateway.sample where status = 'completed'`).toEqual([
      '1',
    ]);
    // A removed column and another type can't be replaced in place.
    const changed = { columns: { how_many: 'All' }, select: 'select 7 as how_many' };
    await prepare([...views, { ...view, ...changed }]);
    expect(await lines`select * from gateway.sample`).toEqual(['7']);
    // A view that can't be created affects neither the others nor the tables.
    await prepare([{ ...view, select: 'select nothing from gateway.nowhere' }, ...views]);
    expect(await lines`select * from gateway.sample`).toEqual(['7']);
    await prepare(views);
    expect(await lines`select 1 from pg_views where viewname = 'sample'`).toEqual([]);
  });

  it('exist only while the tables of all their read models have this version', async () => {
    const { db, projections, lines } = await useTables();
    await projections.stop();
    await sql`update projections.status set version = 0 where name = 'ledger'`.execute(db);
    await rebuild({ db, store: own.store, model: operationsReadModel, logger });
    // The view reads both, and the ledger is not yet rebuilt.
    expect(await lines`select 1 from pg_views where viewname = 'open_reservations'`).toEqual([]);
    const again = useProjections({ db, store: own.store });
    await eventually('live', () => areLive(again));
    expect(await lines`select count(*) from gateway.open_reservations`).toEqual(['1']);
  });

  it('are read-only for analysts, who can read only views and tables', async () => {
    const { db } = await useTables();
    await sql`create table public.secrets (secret text)`.execute(db);
    await sql`create schema webhooks_like create table messages (body text)`.execute(db);
    await db.connection().execute(async (session) => {
      await sql`set role gateway_analyst`.execute(session);
      const may = async (text: string) => {
        await sql.raw(text).execute(session);
      };
      const names = [...readModels.flatMap(({ tables }) => tables), ...views].map(
        ({ name }) => name,
      );
      for (const name of names) {
        await may(`select * from gateway.${name} limit 1`);
        for (const write of [
          `insert into gateway.${name} default values`,
          `delete from gateway.${name}`,
          `drop view gateway.${name}`,
        ]) {
          await expect(may(write)).rejects.toThrow(
            /permission denied|must be owner|cannot|is not a view/,
          );
        }
      }
      for (const text of [
        `update gateway.operations set status = 'completed'`,
        'truncate gateway.operations',
        'create table gateway.mine (a int)',
        'create schema mine',
        'create table public.mine (a int)',
        'select * from projections.status',
        'select * from projections.views',
        'select * from public.secrets',
        'select * from webhooks_like.messages',
        'create role mine',
      ]) {
        await expect(may(text)).rejects.toThrow(/permission denied/);
      }
      await sql`reset role`.execute(session);
    });
  });
});

/** Reads a view repeatedly. `stop` returns how often, and throws if a read failed. */
function keepReading(db: Kysely<unknown>) {
  let on = true;
  const reading = (async () => {
    let times = 0;
    for (; on; times += 1)
      expect(await linesOf(db)`select sum(amount) from gateway.turnover_by_day`).toEqual([
        '140.00',
      ]);
    return times;
  })();
  reading.catch(() => undefined);
  return {
    stop: () => {
      on = false;
      return reading;
    },
  };
}
