import { operationsReadModel } from '../operations/read-model.ts';
import { dayColumn } from './by-day.ts';
import type { SqlView } from './view.ts';

export const completionTimeByDay: SqlView = {
  name: 'completion_time_by_day',
  comment:
    'Time from the create of an operation to its end with money, by the day of that end, type, method and provider. Percentiles of days can’t be averaged: for a longer period ask gateway.operations in the same way.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the operations ended, in the time zone of the session',
    type: 'payment (in) or payout (out)',
    method: 'Logical payment method',
    provider: 'The provider that accepted',
    operations: 'How many ended with money: completed and partially_completed',
    p50: 'Half of them took no longer, from created_at to ended_at',
    p95: '95 in a hundred took no longer',
    longest: 'The longest of them',
  },
  select: `
    select ${dayColumn('ended_at')} as day, type, method, provider, count(*) as operations,
      percentile_cont(0.5) within group (order by ended_at - created_at) as p50,
      percentile_cont(0.95) within group (order by ended_at - created_at) as p95,
      max(ended_at - created_at) as longest
    from gateway.operations
    where status in ('completed', 'partially_completed')
    group by 1, 2, 3, 4`,
};
