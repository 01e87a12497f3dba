import { sql, type Kysely } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import {
  accepted,
  admitted,
  noMoney,
  route,
  started,
} from '#shared/domain/operation/testing/given.ts';
import { merchantStream, shopStream } from '#shared/domain/shop/events.ts';
import { append } from '../testing/append.ts';
import { sampleId as id, writeSampleLog } from '../testing/sample-log.ts';
import { areLive, linesOf, useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';

const settings = shopSettings({ name: 'Books' });
const shop = { shop_id: 'shop-1', merchant_id: 'merchant-1', operation_id_secret: '00', settings };
const reviewed = id(6);
const leg = { receipt_id: 'r-1', sha256: 'aa', size_bytes: 10, pdf: true };
const actor = 'operator:alice';
const receipt = { attempt: 1, receipt_id: 'r-1' };

describe('views for analysts: days, people and webhooks', () => {
  const own = useOwnEventStore();

  beforeAll(async () => {
    await append(own.store, merchantStream('merchant-1'), {
      actor,
      events: [{ type: 'MerchantCreated', data: { merchant_id: 'merchant-1', name: 'Merchant' } }],
    });
    const limits = {
      account: 'main',
      min_amount: '10.00',
      daily_count: 500,
      daily_amount: '100000.00',
    };
    const newRoute = route({
      ...limits,
      commission: { percent: '3.00', fixed: '1.00' },
      options: { secret: 'x' },
    });
    await append(own.store, shopStream('shop-1'), {
      actor,
      events: [
        { type: 'ShopCreated', data: shop },
        { type: 'RoutesReplaced', data: { routes: [route(), route({ type: 'payout' })] } },
        { type: 'RoutesReplaced', data: { routes: [newRoute] } },
      ],
    });
    await writeSampleLog(own.store);
    await append(own.store, operationStream(reviewed), {
      events: [
        admitted({ operationId: reviewed, merchantOperationId: 'f' }),
        started(),
        accepted(1, { confirmation_required: true }),
        { type: 'ReceiptUploaded', data: leg },
        { type: 'ManualCheckStarted', data: { ...receipt, reason: 'potential_fake' } },
        { type: 'ReviewDecided', data: { receipt_id: 'r-1', decision: 'decline', note: 'forged' } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'review' } },
      ],
    });
    const status = { reported_status: 'completed', operation_status: 'declined' };
    const whose = { operation_id: reviewed, shop_id: 'shop-1', merchant_id: 'merchant-1' };
    await append(own.store, lateStream(reviewed), {
      events: [
        {
          type: 'LateStatusReported',
          data: { ...whose, attempt: 1, provider: 'sandbox', ...status },
        },
      ],
    });
    const token = {
      token_id: 't-1',
      token_hash: 'h',
      name: 'anna',
      role: 'operator',
      hint: 'abcd',
    };
    await append(own.store, 'operators', {
      actor,
      events: [{ type: 'AdminTokenIssued', data: token }],
    });
    const requested = {
      shop_id: 'shop-1',
      adjustment_id: 'a-1',
      currency: 'RUB',
      amount: '-10.00',
      reason: 'fee',
    };
    await append(own.store, 'adjustment-x', {
      actor,
      events: [
        { type: 'AdjustmentRequested', data: requested },
        { type: 'AdjustmentPosted', data: { revision: 5 } },
      ],
    });
  });

  async function useTables() {
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store });
    // They have read everything that was in the log at their start.
    await eventually('the tables have the whole log', () => areLive(projections));
    return { db, projections, lines: linesOf(db) };
  }

  const inZone = (db: Kysely<unknown>, zone: string, query: string) =>
    db.transaction().execute(async (tx) => {
      await sql`set local time zone ${sql.lit(zone)}`.execute(tx);
      return linesOf(tx)`${sql.raw(query)}`;
    });

  it('have opening and closing balances of every day in the reader’s time zone', async () => {
    const { db, projections, lines } = await useTables();
    await projections.stop();
    await sql`update gateway.journal_entries set posted_at =
      case when revision < 2 then timestamptz '2026-01-10 21:30Z' else timestamptz '2026-01-12 12:00Z' end`.execute(
      db,
    );
    const query = `select day::text, shop_name, opening_balance, moved, closing_balance, closing_reserved, commission,
      entries from gateway.daily_balances where day <= '2026-01-13' order by day`;
    expect(await inZone(db, 'UTC', query)).toEqual([
      '2026-01-10 Books 0.00 1097.50 1097.50 0.00 2.50 2',
      '2026-01-11 Books 1097.50 0.00 1097.50 0.00 0.00 0',
      '2026-01-12 Books 1097.50 -63.50 1034.00 102.50 1.00 3',
      '2026-01-13 Books 1034.00 0.00 1034.00 102.50 0.00 0',
    ]);
    const inMoscow = await inZone(db, 'Europe/Moscow', query);
    expect(inMoscow.map((line) => line.replace(/ .* /, ' '))).toEqual([
      '2026-01-11 2',
      '2026-01-12 3',
      '2026-01-13 0',
    ]);
    expect(await lines`select max(day) = current_date from gateway.daily_balances`).toEqual([
      'true',
    ]);
    const positions = `select day::text, provider, opening_owed, came_in, went_out, closing_owed, entries
        from gateway.provider_position_by_day where day <= '2026-01-12' order by day`;
    expect(await inZone(db, 'UTC', positions)).toEqual([
      '2026-01-10 sandbox 0.00 100.00 0.00 100.00 1',
      '2026-01-11 sandbox 100.00 0.00 0.00 100.00 0',
      '2026-01-12 sandbox 100.00 100.00 0.00 200.00 2',
    ]);
  });

  it('group created and ended operations by day in the reader’s time zone', async () => {
    const { db, projections } = await useTables();
    await projections.stop();
    await sql`update gateway.operations set created_at = '2026-01-10 21:30Z', ended_at = '2026-01-10 21:30Z'`.execute(
      db,
    );
    for (const view of [
      'turnover_by_day',
      'conversion_by_day',
      'conversion_by_bank',
      'completion_time_by_day',
      'funnel_by_day',
    ]) {
      const query = `select distinct day::text as day from gateway.${view}`;
      expect(await inZone(db, 'UTC', query)).toEqual(['2026-01-10']);
      expect(await inZone(db, 'Europe/Moscow', query)).toEqual(['2026-01-11']);
    }
  });

  it('count months of returning clients, also where a month began without a midnight', async () => {
    const { db, projections } = await useTables();
    await projections.stop();
    await sql`update gateway.operations set client_id = 'one', shop_id = (select min(shop_id) from gateway.operations),
      ended_at = case status when 'completed' then timestamptz '2023-10-15' else '2023-11-15' end
      where status in ('completed', 'partially_completed')`.execute(db);
    const query = `select cohort::text, months_since, clients from gateway.client_cohorts_by_month order by months_since`;
    for (const zone of ['UTC', 'America/Asuncion'])
      expect(await inZone(db, zone, query)).toEqual(['2023-10-01 0 1', '2023-10-01 1 1']);
  });

  it('have the funnel of payments, and the reasons of declines', async () => {
    const { lines } = await useTables();
    expect(
      await lines`select provider, created, accepted, receipt_asked, receipt_sent, paid, still_open, asked_amount, paid_amount
        from gateway.funnel_by_day order by provider`,
    ).toEqual(['sandbox 4 4 1 1 2 0 400.00 140.00', '- 1 0 0 0 0 0 100.00 0.00']);
    expect(
      await lines`select reason, provider, operations, expected_amount from gateway.declines_by_reason order by reason`,
    ).toEqual(['no_route - 1 100.00', 'receipt_rejected sandbox 1 100.00']);
  });

  it('have the history of routes, limits and commissions, without connector options', async () => {
    const { lines } = await useTables();
    expect(
      await lines`select revision, number, type, commission_percent, commission_fixed, valid_to is null as in_force,
          account, min_amount, daily_count, daily_amount
        from gateway.route_history order by 1, 2`,
    ).toEqual([
      '1 1 payment 2.50 0.00 false - - - -',
      '1 2 payout 2.50 0.00 false - - - -',
      '2 1 payment 3.00 1.00 true main 10.00 500 100000.00',
    ]);
    expect(
      await lines`select 1 from gateway.route_history r where r::text like '%secret%'`,
    ).toEqual([]);
  });

  it('have the actions of operators', async () => {
    const { lines } = await useTables();
    expect(
      await lines`select action, outcome, merchant_id, shop_id, operation_id, subject, amount
        from gateway.operator_actions order by position`,
    ).toEqual([
      'MerchantCreated - merchant-1 - - - -',
      'ShopCreated - merchant-1 shop-1 - - -',
      'RoutesReplaced - merchant-1 shop-1 - - -',
      'RoutesReplaced - merchant-1 shop-1 - - -',
      `ReviewDecided decline merchant-1 shop-1 ${reviewed} - -`,
      'AdminTokenIssued - - - - t-1 -',
      'AdjustmentRequested - merchant-1 shop-1 - a-1 -10.00',
    ]);
  });

  it('have webhook deliveries, without their content', async () => {
    const { db, lines } = await useTables();
    await sql`insert into webhooks.message (message_id, shop_id, operation_id, sequence, type, body, occurred_at, status,
        attempt_count, finished_at)
      values ('m-1', 'shop-1', ${id(1)}, 1, 'payment.completed', 'secret', '2026-01-10 12:00Z', 'delivered', 1,
          '2026-01-10 12:00:01Z'),
        ('m-2', 'shop-1', ${id(2)}, 1, 'payment.completed', 'secret', '2026-01-10 12:00Z', 'delivered', 2,
          '2026-01-10 12:00:03Z'),
        ('m-3', 'shop-1', ${id(4)}, 1, 'payment.completed', 'secret', '2026-01-10 12:00Z', 'pending', 1, null)`.execute(
      db,
    );
    await sql`insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code, answer, error)
      values ('m-2', 1, '2026-01-10 12:00Z', 250, 'https://secret', 500, 'secret', null),
        ('m-2', 2, '2026-01-10 12:00:03Z', 20, 'https://secret', 204, 'secret', null),
        ('m-3', 1, '2026-01-10 12:00Z', 15000, 'https://secret', null, null, 'timeout')`.execute(
      db,
    );
    expect(
      await lines`select day::text, merchant_id, type, messages, delivered, at_once, pending, exhausted, attempts,
          delivered_rate, extract(epoch from p50)::float8 as p50, extract(epoch from longest)::float8 as longest
        from gateway.webhook_delivery_by_day`,
    ).toEqual(['2026-01-10 merchant-1 payment.completed 3 2 1 1 0 4 0.6667 2 3']);
    expect(
      await lines`select message_id, number, status_code, error, delivered from gateway.webhook_attempts order by 1, 2`,
    ).toEqual(['m-2 1 500 - false', 'm-2 2 204 - true', 'm-3 1 - timeout false']);
    for (const view of ['webhook_messages', 'webhook_attempts']) {
      const { rows } = await sql`select * from gateway.${sql.raw(view)}`.execute(db);
      expect(JSON.stringify(rows)).not.toContain('secret');
    }
  });

  it('have amounts with two decimals and operation ids as uuid', async () => {
    const { db } = await useTables();
    const { rows: columns } = await sql<Record<string, unknown>>`
      select table_name || '.' || column_name as name, data_type as type, numeric_precision as precision,
        numeric_scale as scale from information_schema.columns where table_schema = 'gateway'`.execute(
      db,
    );
    const unexpected = columns.filter(({ name, type, precision, scale }) => {
      if (asProvidersSay.has(String(name))) return type !== 'text';
      if (String(name).endsWith('.operation_id')) return type !== 'uuid';
      const isRate = /(rate|percent)$/.test(String(name));
      return (
        type === 'numeric' &&
        !isRate &&
        !(precision === 38 && scale === 2) &&
        !isCount(String(name))
      );
    });
    expect(unexpected).toEqual([]);
  });
});

/** A statement's line may contain any text as operation id. */
const asProvidersSay = new Set(['statement_lines.operation_id', 'statement_findings.operation_id']);

/** Sums of counts are numeric in PostgreSQL. */
const isCount = (name: string) => name.endsWith('.attempts');
