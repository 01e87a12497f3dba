import { operationsReadModel } from '../operations/read-model.ts';
import type { SqlView } from './view.ts';

const startOfMonth = (column: string): string => `date_trunc('month', ${column})::date`;

/** Without a time of day, which some zones lack at midnight. */
const monthNumber = (column: string): string =>
  `(extract(year from ${column}) * 12 + extract(month from ${column}))`;

export const clientCohortsByMonth: SqlView = {
  name: 'client_cohorts_by_month',
  comment:
    'How many clients come back: clients of a shop by the month of their first operation with money (their cohort) and by each later month in which they had one. Counts only; it names no client.',
  from: [operationsReadModel],
  columns: {
    cohort:
      'First day of the month in which the clients’ first operation with money ended, in the time zone of the session',
    month: 'First day of the month in which they had operations with money',
    months_since: 'Months from cohort to month: 0 is the first month, more are returning clients',
    merchant_id: 'gateway.merchants.merchant_id',
    shop_id: 'gateway.shops.shop_id',
    type: 'payment (in) or payout (out): a client of both is counted in each',
    clients: 'Clients of the cohort with an operation in the month',
    cohort_clients: 'All clients of the cohort',
    returned_rate: 'clients / cohort_clients, from 0 to 1',
    operations: 'Their operations in the month',
  },
  select: `
    select cohort, month,
      (${monthNumber('month')} - ${monthNumber('cohort')})::integer as months_since,
      merchant_id, shop_id, type, count(*) as clients, cohort_clients,
      round(count(*)::numeric / cohort_clients, 4) as returned_rate,
      sum(operations)::bigint as operations
    from (
      select active.*, count(*) filter (where month = cohort)
        over (partition by merchant_id, shop_id, type, cohort) as cohort_clients
      from (
        select merchant_id, shop_id, type, ${startOfMonth('ended_at')} as month,
          min(${startOfMonth('min(ended_at)')}) over (partition by merchant_id, shop_id, type, client_id)
            as cohort,
          count(*) as operations
        from gateway.operations
        where status in ('completed', 'partially_completed')
        group by merchant_id, shop_id, type, client_id, ${startOfMonth('ended_at')}) active) counted
    group by cohort, month, merchant_id, shop_id, type, cohort_clients`,
};
