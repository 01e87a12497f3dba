import { Client } from 'pg';

/**
 * The merchant's id of the nth operation, by which the rows are ordered: a file has the newest
 * first.
 */
export const orderId = (n: number): string => `order-${n}`;

const chunkRows = 100_000;

/**
 * Fills the read models up to a number of operations of a shop, with their ledger entries. Only the
 * read models: creating a million operations would take hours.
 */
export async function fillOperations(url: string, shopId: string, rows: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: counted } = await client.query(
      'select count(*)::integer as n from gateway.operations',
    );
    for (let from = Number(counted[0].n) + 1; from <= rows; from += chunkRows)
      await client.query(insert, [shopId, from, Math.min(from + chunkRows - 1, rows)]);
    await client.query(insertEntries, [shopId]);
    await client.query('vacuum analyze gateway.operations, gateway.journal_entries');
  } finally {
    await client.end();
  }
}

/** Six of ten are paid, two declined, one expired and one still open. */
const insert = `
  insert into gateway.operations (operation_id, shop_id, merchant_id, merchant_operation_id, client_id, type, status,
    status_since, statuses_count, method, bankname, bankname_details, currency, expected_amount, actual_amount, legs_count,
    recorded_currency, recorded_amount, settlement_currency, settlement_amount, commission_amount, provider,
    provider_reference, route_priority, attempts_count, attempts, confirmation_required, receipts_count, decline_reason,
    created_at, accept_until, accepted_at, expires_at, ended_at, updated_at, revision, position)
  select gen_random_uuid(), $1, 'merchant', 'order-' || n, 'client-' || n % 50000,
    'payment', status, created_at + interval '40 seconds', 3, 'WT_RUB_C2C', 'SBERBANK', 'Sberbank', 'RUB', amount,
    case when paid then amount else 0 end, case when paid then 1 else 0 end,
    case when paid then 'RUB' end, case when paid then amount end, 'RUB',
    case when paid then round(amount * 0.975, 2) else 0 end, case when paid then amount - round(amount * 0.975, 2) else 0 end,
    'sandbox', 'sbx_' || md5(n::text), 1, 1,
    jsonb_build_array(jsonb_build_object('attempt', 1, 'provider', 'sandbox', 'priority', 1, 'outcome', 'accepted',
      'started_at', created_at, 'answered_at', created_at, 'provider_reference', 'sbx_' || md5(n::text),
      'commission', jsonb_build_object('percent', '2.50', 'fixed', '0.00'))),
    false, 0, case when status = 'declined' then 'provider' end,
    created_at, created_at + interval '1 minute', created_at + interval '1 second', created_at + interval '1 hour',
    case when status <> 'pending' then created_at + interval '40 seconds' end, created_at + interval '40 seconds', 4, n
  from (
    select n, status, status = 'completed' as paid, (100 + n % 100000 + (n % 100) * 0.01)::numeric(38,2) as amount,
      timestamptz '2026-01-01 00:00:00Z' + n * interval '5 seconds' as created_at
    from generate_series($2::integer, $3::integer) as n
    cross join lateral (select case when n % 10 < 6 then 'completed' when n % 10 < 8 then 'declined'
      when n % 10 = 8 then 'expired' else 'pending' end as status) as s
  ) as made order by n`;

/** The portal shows a payment once its credit is posted. */
const insertEntries = `
  insert into gateway.journal_entries (shop_id, currency, revision, entry_id, kind, operation_id, leg_id, actor,
    to_balance, to_reserved, to_commission, to_provider, to_suspense, to_external, balance_after, reserved_after,
    posted_at, statement_at, leaf_hash, position)
  select shop_id, currency, position, gen_random_uuid(), 'credit', operation_id, '1', 'service:processor',
    settlement_amount, 0, commission_amount, -recorded_amount, 0, 0, settlement_amount, 0,
    ended_at, ended_at, md5(operation_id::text), position
  from gateway.operations o
  where shop_id = $1 and recorded_amount is not null
    and not exists (select from gateway.journal_entries e where e.operation_id = o.operation_id)`;
