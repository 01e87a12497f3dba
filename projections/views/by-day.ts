import { ledgerReadModel } from '../ledger/read-model.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import type { SqlView } from './view.ts';

/** In the time zone of the reader's session. */
export const dayColumn = (column: string): string => `${column}::date`;
/** A sum has no precision by itself; amounts have that of the tables. */
export const money = (sum: string): string => `(${sum})::numeric(38,2)`;

export const routing = {
  merchant_id: 'gateway.merchants.merchant_id',
  shop_id: 'gateway.shops.shop_id',
  type: 'payment (in) or payout (out)',
  method: 'Logical payment method',
  provider: 'The provider that accepted, otherwise the last one tried; null if none was',
};

export const turnoverByDay: SqlView = {
  name: 'turnover_by_day',
  comment:
    'Money of operations that ended with money, by the day of their end, shop, method, provider and currency. Late money is not in it: gateway.suspense_open.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the operations ended, in the time zone of the session',
    ...routing,
    currency: 'Of amount',
    operations: 'How many: completed and partially_completed',
    partial: 'Those of them that are partially_completed',
    amount: 'Money that actually moved, in currency',
    ledger_currency:
      'Of the three figures below: another one than currency where the route converts',
    recorded_amount: 'amount as the ledger has it',
    settlement_amount: "What moved on the shops' balances for it",
    commission_amount: 'Commission of the service on it',
  },
  select: `
    select ${dayColumn('ended_at')} as day, merchant_id, shop_id, type, method, provider, currency,
      count(*) as operations,
      count(*) filter (where status = 'partially_completed') as partial,
      ${money('sum(actual_amount)')} as amount,
      recorded_currency as ledger_currency,
      ${money('sum(recorded_amount)')} as recorded_amount,
      ${money('sum(settlement_amount)')} as settlement_amount,
      ${money('sum(commission_amount)')} as commission_amount
    from gateway.operations
    where status in ('completed', 'partially_completed')
    group by 1, 2, 3, 4, 5, 6, 7, 11`,
};

const ended = ['completed', 'partially_completed', 'declined', 'expired', 'cancelled'] as const;

export const conversionByDay: SqlView = {
  name: 'conversion_by_day',
  comment:
    'Outcomes of the operations created on a day, by shop, method and provider. The newest days still change: see still_open.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the operations were created, in the time zone of the session',
    ...routing,
    created: 'All that were admitted',
    accepted: 'Operations that a provider accepted, whatever their outcome',
    completed: 'Completed with all the money',
    partially_completed: 'Completed with less money than expected',
    declined:
      'Refused: by every provider, by the one that had it, by a review, or for lack of funds',
    expired: 'Not paid in time',
    cancelled: 'Cancelled by the merchant',
    still_open: 'Still open',
    acceptance_rate: 'accepted / created, from 0 to 1',
    completion_rate: '(completed + partially_completed) / created, from 0 to 1',
    paid_rate:
      '(completed + partially_completed) / accepted, from 0 to 1; null where none was accepted',
  },
  select: `
    select ${dayColumn('created_at')} as day, merchant_id, shop_id, type, method, provider,
      count(*) as created,
      count(accepted_at) as accepted,
      ${ended.map((status) => `count(*) filter (where status = '${status}') as ${status},`).join('\n      ')}
      count(*) filter (where ended_at is null) as still_open,
      round(count(accepted_at)::numeric / count(*), 4) as acceptance_rate,
      round(count(*) filter (where status in ('completed', 'partially_completed'))::numeric / count(*), 4)
        as completion_rate,
      round(count(*) filter (where status in ('completed', 'partially_completed'))::numeric
        / nullif(count(accepted_at), 0), 4) as paid_rate
    from gateway.operations
    group by 1, 2, 3, 4, 5, 6`,
};

export const conversionByBank: SqlView = {
  name: 'conversion_by_bank',
  comment:
    'Outcomes of the operations created on a day, by the recipient’s bank, with the money that moved. Operations without a bank have null: cards, and payments that no provider accepted.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the operations were created, in the time zone of the session',
    ...routing,
    bankname: "The bank's code",
    bankname_details: "The bank's display name",
    currency: 'Of amount',
    created: 'All that were admitted',
    accepted: 'Operations that a provider accepted, whatever their outcome',
    with_money: 'Operations with money: completed and partially_completed',
    still_open: 'Still open',
    amount: 'Money that has actually moved so far',
    paid_rate: 'with_money / accepted, from 0 to 1; null where none was accepted',
  },
  select: `
    select ${dayColumn('created_at')} as day, merchant_id, shop_id, type, method, provider, bankname,
      bankname_details, currency,
      count(*) as created,
      count(accepted_at) as accepted,
      count(*) filter (where status in ('completed', 'partially_completed')) as with_money,
      count(*) filter (where ended_at is null) as still_open,
      ${money('sum(actual_amount)')} as amount,
      round(count(*) filter (where status in ('completed', 'partially_completed'))::numeric
        / nullif(count(accepted_at), 0), 4) as paid_rate
    from gateway.operations
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
};

export const commissionByDay: SqlView = {
  name: 'commission_by_day',
  comment:
    'Commission by the ledger, by the day on which it was posted, shop, method and provider. gateway.turnover_by_day has the same money by the day on which the operations ended, a moment before.',
  from: [ledgerReadModel, operationsReadModel],
  columns: {
    day: 'Day on which the entries were posted, in the time zone of the session',
    ...routing,
    currency: 'Currency of the ledger',
    entries: 'Credits of payments and captures of payouts',
    recorded_amount: 'The money that commission was charged on',
    commission: 'Commission of the service',
    percent: '100 × commission / recorded_amount: with what is fixed in it',
  },
  select: `
    select ${dayColumn('e.posted_at')} as day, o.merchant_id, e.shop_id, o.type, o.method, o.provider, e.currency,
      count(*) as entries,
      ${money('sum(abs(e.to_provider))')} as recorded_amount,
      ${money('sum(e.to_commission)')} as commission,
      round(100 * sum(e.to_commission) / nullif(sum(abs(e.to_provider)), 0), 4) as percent
    from gateway.journal_entries e left join gateway.operations o using (operation_id)
    where e.kind in ('credit', 'capture')
    group by 1, 2, 3, 4, 5, 6, 7`,
};
