import { operationsReadModel } from '../operations/read-model.ts';
import { money, routing } from './by-day.ts';
import type { SqlView } from './view.ts';

export const operationsByHour: SqlView = {
  name: 'operations_by_hour',
  comment:
    'Outcomes of the operations created in an hour, by shop, method, provider and currency. Hours without operations have no row; the newest hours still change: see still_open.',
  from: [operationsReadModel],
  columns: {
    hour: 'Start of the hour in which the operations were created; hours begin as in the time zone of the session',
    ...routing,
    currency: 'Of the amounts',
    created: 'All that were admitted',
    accepted: 'Operations that a provider accepted, whatever their outcome',
    with_money: 'Operations with money: completed and partially_completed',
    declined: 'Operations that were declined',
    still_open: 'Still open',
    expected_amount: 'Total requested amount',
    amount: 'Money that has actually moved so far',
    paid_rate: 'with_money / accepted, from 0 to 1; null where none was accepted',
  },
  select: `
    select date_trunc('hour', created_at) as hour, merchant_id, shop_id, type, method, provider,
      currency,
      count(*) as created,
      count(accepted_at) as accepted,
      count(*) filter (where status in ('completed', 'partially_completed')) as with_money,
      count(*) filter (where status = 'declined') as declined,
      count(*) filter (where ended_at is null) as still_open,
      ${money('sum(expected_amount)')} as expected_amount,
      ${money('sum(actual_amount)')} as amount,
      round(count(*) filter (where status in ('completed', 'partially_completed'))::numeric
        / nullif(count(accepted_at), 0), 4) as paid_rate
    from gateway.operations
    group by 1, 2, 3, 4, 5, 6, 7`,
};
