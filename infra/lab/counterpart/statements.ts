import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Amount } from '#shared/domain/money.ts';
import { statement } from './database.ts';

export type CounterpartShop = { shop_id: string; commission_percent: string };

export type CounterpartOperation = {
  operation_id: string;
  shop_id: string;
  merchant_operation_id: string;
  request_hash: string;
  type: OperationType;
  status:
    | 'new'
    | 'pending'
    | 'completed'
    | 'partially_completed'
    | 'declined'
    | 'expired'
    | 'cancelled';
  method: string;
  currency: string;
  amount: Amount;
  actual_amount: Amount;
  settlement_amount: Amount;
  commission_amount: Amount;
  commission_percent: string;
  requisites: { number?: string; name?: string } | null;
};

export type OutboxRow = {
  id: string;
  kind: 'webhook' | 'withdraw';
  operation_id: string;
  body: string;
  attempts: number;
  webhook_url: string;
  webhook_secret: string;
};

export const shopByKey = statement<CounterpartShop>(`
  select s.shop_id, s.commission_percent from api_keys k join shops s using (shop_id)
  where k.key_hash = $1 and k.revoked_at is null`);

export const insertOperation = statement<CounterpartOperation>(`
  insert into operations (operation_id, shop_id, merchant_operation_id, request_hash, type, status, method, currency,
    amount, settlement_amount, commission_amount, commission_percent, client_id, number, name)
  values ($1, $2, $3, $4, $5, 'new', $6, $7, $8, $9, $10, $11, $12, $13, $14)
  on conflict (shop_id, merchant_operation_id) do nothing returning *`);
export const addHistory = statement(
  `insert into history (operation_id, status, data) values ($1, $2, $3)`,
);
export const acceptOperation = statement<CounterpartOperation>(`
  update operations set status = 'pending', provider_reference = $2, requisites = $3
  where operation_id = $1 and status = 'new' returning *`);
export const byId = statement<CounterpartOperation>(
  `select * from operations where operation_id = $1 and shop_id = $2`,
);
export const byKey = statement<CounterpartOperation>(
  `select * from operations where merchant_operation_id = $1 and shop_id = $2`,
);
export const lock = statement<CounterpartOperation>(
  `select * from operations where operation_id = $1 for update`,
);
export const end = statement<CounterpartOperation>(`
  update operations
  set status = $2, actual_amount = $3, settlement_amount = $4, commission_amount = $5, ended_at = now()
  where operation_id = $1 returning *`);
export const unsure = statement<{ operation_id: string }>(`
  select operation_id from operations where status = 'new' and created_at < now() - interval '20 s'
  order by created_at limit 20`);

export const addContribution = statement(`
  insert into contributions (id, operation_id, amount, completed_at) values ($1, $2, $3, $4) on conflict do nothing`);
export const contributions = statement<{ id: string; amount: Amount; completed_at: Date }>(`
  select id, amount, completed_at from contributions where operation_id = $1 order by completed_at, id`);

export const readBalances = statement<{ currency: string; balance: Amount; reserved: Amount }>(`
  select currency, balance, reserved, greatest(-(balance + reserved), 0.00) as current_minus
  from balances where shop_id = $1 order by currency`);
/** Moves money and posts it; does nothing if a shop's balance is too low for a reservation. */
export const book = statement<{ id: string }>(`
  with moved as (
    update balances b set balance = b.balance + $5, reserved = b.reserved + $6 from shops s
    where b.shop_id = $1 and b.currency = $2 and s.shop_id = b.shop_id
      and ($4 <> 'reserve' or b.balance + $5 >= -s.overdraft)
    returning b.balance, b.reserved)
  insert into ledger_entries (shop_id, currency, operation_id, kind, balance_change, reserved_change,
    balance_after, reserved_after)
  select $1, $2, $3, $4, $5, $6, moved.balance, moved.reserved from moved returning id`);

export const addToOutbox = statement(
  `insert into outbox (id, kind, shop_id, operation_id, body) values ($1, $2, $3, $4, $5)`,
);
export const wakeWorker = statement(`select pg_notify('outbox', '')`);
/** Claims of a worker that dies pass to another one half a minute later. */
export const claimOutboxRows = statement<OutboxRow>(`
  with due as (
    select id from outbox where status = 'due' and due_at <= now() order by due_at limit $1 for update skip locked)
  update outbox o set attempts = attempts + 1, due_at = now() + interval '30 s' from due, shops s
  where o.id = due.id and s.shop_id = o.shop_id
  returning o.id, o.kind, o.operation_id, o.body, o.attempts, s.webhook_url, s.webhook_secret`);
export const done = statement(
  `update outbox set status = 'done', last_result = $2, done_at = now() where id = $1`,
);
export const tryAgain = statement(`
  update outbox set last_result = $2, due_at = now() + $3 * interval '1 s',
    status = case when attempts >= 10 then 'exhausted' else 'due' end where id = $1`);
