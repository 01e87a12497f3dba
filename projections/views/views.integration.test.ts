import { sql, type Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { liveSchema } from '../read-model.ts';
import { rebuild } from '../rebuild/rebuild.ts';
import { uuidOf } from '#shared/application/receipts/uuid.ts';
import { readModels } from '../registry.ts';
import { prepareTables } from '../runner/prepare.ts';
import { sampleId as id, writeSampleLog } from '../testing/sample-log.ts';
import { areLive, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import { views } from './registry.ts';
import type { View } from './view.ts';

const timeoutMs = { timeoutMs: 20_000 };
const evidenceItem = {
  status: 'complete',
  provider: 'sandbox',
  file: false,
  synthetic: false,
  receipts_count: 1,
};

describe('views', { timeout: 90_000 }, () => {
  const own = useOwnEventStore();
  let end: Promise<bigint> | undefined;
  /** The log that all tests of this file follow. */
  const logEnd = () => (end ??= writeSampleLog(own.store));

  /** A database whose tables have the whole log. */
  async function useTables() {
    await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store });
    await waitUntil('live', () => areLive(projections), timeoutMs);
    return { db, projections };
  }

  const rowsOf = async (db: Kysely<unknown>, query: string) =>
    (await sql<Record<string, unknown>>`${sql.raw(query)}`.execute(db)).rows;

  it('return turnover, conversion, commission, attempts and status times', async () => {
    const { db } = await useTables();
    expect(
      await rowsOf(
        db,
        `select type, provider, currency, operations, partial, amount, settlement_amount, commission_amount
        from gateway.turnover_by_day`,
      ),
    ).toEqual([
      {
        type: 'payment',
        provider: 'sandbox',
        currency: 'RUB',
        operations: '2',
        partial: '1',
        amount: '140.00',
        settlement_amount: '136.50',
        commission_amount: '3.50',
      },
    ]);
    expect(
      await rowsOf(
        db,
        `select type, provider, created, accepted, completed, partially_completed, declined, expired, cancelled,
          still_open, acceptance_rate, completion_rate, paid_rate
        from gateway.conversion_by_day order by type, provider`,
      ),
    ).toMatchObject([
      {
        provider: 'sandbox',
        created: '3',
        accepted: '3',
        completed: '1',
        partially_completed: '1',
        expired: '1',
        acceptance_rate: '1.0000',
        completion_rate: '0.6667',
      },
      {
        provider: null,
        created: '1',
        accepted: '0',
        declined: '1',
        paid_rate: null,
        still_open: '0',
      },
      { type: 'payout', created: '1', accepted: '1', still_open: '1', completion_rate: '0.0000' },
    ]);
    expect(
      await rowsOf(
        db,
        `select type, bankname, bankname_details, created, accepted, with_money, still_open, amount, paid_rate
        from gateway.conversion_by_bank order by type, bankname`,
      ),
    ).toMatchObject([
      {
        type: 'payment',
        bankname: 'sberbank',
        bankname_details: 'Сбербанк',
        created: '3',
        accepted: '3',
        with_money: '2',
        amount: '140.00',
        paid_rate: '0.6667',
      },
      {
        type: 'payment',
        bankname: null,
        created: '1',
        accepted: '0',
        amount: '0.00',
        paid_rate: null,
      },
      { type: 'payout', bankname: null, created: '1', still_open: '1', with_money: '0' },
    ]);
    expect(
      await rowsOf(
        db,
        `select method, entries, recorded_amount, commission, percent from gateway.commission_by_day`,
      ),
    ).toEqual([
      {
        method: 'WT_RUB_C2C',
        entries: '2',
        recorded_amount: '140.00',
        commission: '3.50',
        percent: '2.5000',
      },
    ]);
    expect(
      await rowsOf(
        db,
        `select operation_id, attempt, provider, outcome, reason from gateway.attempts
        where operation_id = '${id(2)}' order by attempt`,
      ),
    ).toEqual([
      { operation_id: id(2), attempt: 1, provider: 'other', outcome: 'refused', reason: 'limit' },
      { operation_id: id(2), attempt: 2, provider: 'sandbox', outcome: 'accepted', reason: null },
    ]);
    expect(
      await rowsOf(
        db,
        `select status, left_times, in_it_now, p50 >= interval '0' as timed from gateway.time_in_status
        where type = 'payment' and provider = 'sandbox' order by status`,
      ),
    ).toEqual([
      { status: 'creating', left_times: '3', in_it_now: '0', timed: true },
      { status: 'pending', left_times: '3', in_it_now: '0', timed: true },
    ]);
  });

  it('return balances, open reservations, late and returned money, and violations', async () => {
    const { db } = await useTables();
    expect(
      await rowsOf(
        db,
        `select currency, balance, reserved, current_minus, entries, read_to >= position as read from gateway.balances`,
      ),
    ).toEqual([
      {
        currency: 'RUB',
        balance: '1034.00',
        reserved: '102.50',
        current_minus: '0.00',
        entries: 5,
        read: true,
      },
    ]);
    expect(
      await rowsOf(
        db,
        `select operation_id, amount, operation_status, provider, overdue, age > interval '0' as aged
        from gateway.open_reservations`,
      ),
    ).toEqual([
      {
        operation_id: id(5),
        amount: '102.50',
        operation_status: 'pending',
        provider: 'sandbox',
        overdue: false,
        aged: true,
      },
    ]);
    expect(
      await rowsOf(
        db,
        `select kind, amount, in_suspense, posted_at is not null as posted from gateway.suspense_open`,
      ),
    ).toEqual([{ kind: 'late_money', amount: '60.00', in_suspense: '60.00', posted: true }]);
    expect(await rowsOf(db, 'select * from gateway.ledger_violations')).toEqual([]);
    expect(
      await rowsOf(
        db,
        `select e.status, r.receipt_id, r.amount, r.provider, r.attempt, r.file, r.synthetic, e.receipts_count
        from gateway.evidence e join gateway.receipts r using (operation_id) order by r.amount`,
      ),
    ).toEqual([
      // The first is derived from the operation's legs, the second from requested evidence.
      {
        ...evidenceItem,
        attempt: 2,
        receipt_id: uuidOf(JSON.stringify([id(2), 'l2'])),
        amount: '40.00',
      },
      { ...evidenceItem, attempt: 1, receipt_id: id(99), amount: '100.00', file: true },
    ]);

    expect(await rowsOf(db, 'select * from gateway.returned_money')).toEqual([]);
    await sql`update gateway.suspense set kind = 'payment_charged_back'`.execute(db);
    await sql`insert into gateway.returned_legs (operation_id, leg_id, of_leg_id, currency, amount, completed_at, recorded_at, position)
      select operation_id, 'r1', 'l1', 'RUB', 1.50, now(), '2026-01-01Z', 1 from gateway.suspense`.execute(
      db,
    );
    expect(
      await rowsOf(
        db,
        `select r.type, r.provider, r.currency, r.returned_amount, r.last_returned_at = s.received_at as newest
        from gateway.returned_money r join gateway.suspense s using (operation_id)`,
      ),
    ).toEqual([
      {
        type: 'payment',
        provider: 'sandbox',
        currency: 'RUB',
        returned_amount: '61.50',
        newest: true,
      },
    ]);

    await sql`update gateway.journal_entries set balance_after = 7 where revision = 2`.execute(db);
    expect(
      await rowsOf(
        db,
        'select revision, unbalanced, wrong_balance from gateway.ledger_violations order by 1',
      ),
    ).toEqual([
      { revision: 2, unbalanced: false, wrong_balance: true },
      { revision: 3, unbalanced: false, wrong_balance: true },
    ]);
  });

  it('have exactly the declared columns, each with a comment', async () => {
    const { db } = await useTables();
    const actual = await rowsOf(
      db,
      `select c.relname as view, array_agg(a.attname::text order by a.attnum) as columns,
        count(*) filter (where col_description(c.oid, a.attnum) is null) as silent,
        obj_description(c.oid) as comment
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'gateway'::regnamespace and c.relkind = 'v' group by c.oid, c.relname order by 1`,
    );
    expect(actual).toEqual(
      views
        .map(({ name, columns, comment }) => {
          return { view: name, columns: Object.keys(columns), silent: '0', comment };
        })
        .toSorted((left, right) => (left.view < right.view ? -1 : 1)),
    );
    const tables = await rowsOf(
      db,
      `select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'gateway'::regnamespace and c.relkind in ('r', 'v')
        and (col_description(c.oid, a.attnum) is null or obj_description(c.oid) is null)`,
    );
    expect(tables).toEqual([]);
  });

  it('survive a swap of their tables, with other views built on them', async () => {
    const { db } = await useTables();
    await sql`create schema reports`.execute(db);
    await sql`create view reports.mine as select day, sum(amount) as amount from gateway.turnover_by_day group by 1`.execute(
      db,
    );
    const before = await rowsOf(db, 'select * from gateway.turnover_by_day');
    const reader = keepReading(db);
    for (const model of readModels) {
      expect(await rebuild({ db, store: own.store, model, logger })).toMatchObject({
        swapped: true,
      });
    }
    expect(await reader.stop()).toBeGreaterThan(0);
    expect(await rowsOf(db, 'select * from gateway.turnover_by_day')).toEqual(before);
    expect(await rowsOf(db, 'select amount from reports.mine')).toEqual([{ amount: '140.00' }]);
    // The views read the new tables.
    await sql`update gateway.operations set actual_amount = 1 where operation_id = ${id(1)}`.execute(
      db,
    );
    expect(await rowsOf(db, 'select amount from reports.mine')).toEqual([{ amount: '41.00' }]);
    expect(
      await rowsOf(db, `select 1 from pg_tables where schemaname = 'gateway_retired'`),
    ).toEqual([]);
    await db.connection().execute(async (session) => {
      await sql`set role gateway_analyst`.execute(session);
      await sql`select * from gateway.turnover_by_day`.execute(session);
      await sql`reset role`.execute(session);
    });
  });

  it('built by others on a table prevent its replacement', async () => {
    const { db } = await useTables();
    await sql`create schema reports`.execute(db);
    await sql`create view reports.mine as select status from gateway.operations`.execute(db);
    const options = { db, store: own.store, model: operationsReadModel, logger };
    await expect(rebuild(options)).rejects.toThrow(/other objects depend on it/);
    expect(await rowsOf(db, 'select count(*) from gateway.turnover_by_day')).toEqual([
      { count: '1' },
    ]);
    await sql`drop schema reports cascade`.execute(db);
    expect(await rebuild(options)).toMatchObject({ swapped: true });
  });

  it('are recreated when their definition changes, and dropped when it is removed', async () => {
    const { db, projections } = await useTables();
    await projections.stop();
    const prepare = (some: readonly View[]) =>
      prepareTables(
        db,
        { model: operationsReadModel, schema: liveSchema },
        { logger, views: some },
      );
    const view: View = {
      name: 'sample',
      comment: 'A sample',
      from: [operationsReadModel],
      columns: { status: 'Its status', how_many: 'How many have it' },
      select: 'select status, count(*) as how_many from gateway.operations group by 1',
    };
    await prepare([...views, view]);
    const madeAt = () => rowsOf(db, `select name, made_at from projections.views order by 1`);
    const before = await madeAt();
    await prepare([...views, view]);
    expect(await madeAt()).toEqual(before);
    expect(
      await rowsOf(db, `select how_many from gateway.sample where status = 'completed'`),
    ).toEqual([{ how_many: '1' }]);
    // A removed column and another type can't be replaced in place.
    const changed = { columns: { how_many: 'All' }, select: 'select 7 as how_many' };
    await prepare([...views, { ...view, ...changed }]);
    expect(await rowsOf(db, 'select * from gateway.sample')).toEqual([{ how_many: 7 }]);
    // A view that can't be created affects neither the others nor the tables.
    await prepare([{ ...view, select: 'select nothing from gateway.nowhere' }, ...views]);
    expect(await rowsOf(db, 'select * from gateway.sample')).toEqual([{ how_many: 7 }]);
    await prepare(views);
    expect(await rowsOf(db, `select 1 from pg_views where viewname = 'sample'`)).toEqual([]);
  });

  it('exist only while the tables of all their read models have this version', async () => {
    const { db, projections } = await useTables();
    await projections.stop();
    await sql`update projections.status set version = 0 where name = 'ledger'`.execute(db);
    await rebuild({ db, store: own.store, model: operationsReadModel, logger });
    // The view reads both, and the ledger is not yet rebuilt.
    expect(await rowsOf(db, `select 1 from pg_views where viewname = 'open_reservations'`)).toEqual(
      [],
    );
    const again = useProjections({ db, store: own.store });
    await waitUntil('live', () => areLive(again), timeoutMs);
    expect(await rowsOf(db, 'select count(*) from gateway.open_reservations')).toEqual([
      { count: '1' },
    ]);
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
    for (; on; times += 1) {
      const { rows } = await sql`select sum(amount) as amount from gateway.turnover_by_day`.execute(
        db,
      );
      expect(rows).toEqual([{ amount: '140.00' }]);
    }
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
