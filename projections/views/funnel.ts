import { operationsReadModel } from '../operations/read-model.ts';
import { dayColumn, money, routing } from './by-day.ts';
import type { SqlView } from './view.ts';

const paid = `status in ('completed', 'partially_completed')`;
const { type: _, ...routingOfPayments } = routing;

export const funnelByDay: SqlView = {
  name: 'funnel_by_day',
  comment:
    'Funnel of the payments created on a day, in the time zone of the session, by shop, method, provider and currency: created, accepted, receipt, paid. Not every payment requires a receipt.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the payments were created, in the time zone of the session',
    ...routingOfPayments,
    currency: 'Of the amounts',
    created: 'All that were admitted',
    accepted: 'Those that a provider accepted',
    receipt_asked: 'Payments that require a receipt',
    receipt_sent: 'Payments with an uploaded receipt',
    paid: 'Operations with money: completed and partially_completed',
    still_open: 'Still open',
    asked_amount: 'Total requested amount of all created payments',
    paid_amount: 'Money received so far',
  },
  select: `
    select ${dayColumn('created_at')} as day, merchant_id, shop_id, method, provider, currency,
      count(*) as created,
      count(accepted_at) as accepted,
      count(*) filter (where confirmation_required) as receipt_asked,
      count(*) filter (where receipts_count > 0) as receipt_sent,
      count(*) filter (where ${paid}) as paid,
      count(*) filter (where ended_at is null) as still_open,
      ${money('sum(expected_amount)')} as asked_amount,
      ${money('sum(actual_amount)')} as paid_amount
    from gateway.operations where type = 'payment'
    group by 1, 2, 3, 4, 5, 6`,
};

export const declinesByReason: SqlView = {
  name: 'declines_by_reason',
  comment:
    'Operations that were declined, by the day of their end in the time zone of the session, shop, type, method, provider, currency and reason. Providers that refused before another accepted: gateway.attempts.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the operations were declined, in the time zone of the session',
    ...routing,
    currency: 'Of expected_amount',
    reason: 'gateway.operations.decline_reason',
    provider_reason: 'Reason given by the last provider, if any',
    operations: 'How many',
    expected_amount: 'Total requested amount',
  },
  select: `
    select ${dayColumn('ended_at')} as day, merchant_id, shop_id, type, method, provider, currency,
      decline_reason as reason, attempts -> -1 ->> 'reason' as provider_reason,
      count(*) as operations, ${money('sum(expected_amount)')} as expected_amount
    from gateway.operations where status = 'declined'
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
};
