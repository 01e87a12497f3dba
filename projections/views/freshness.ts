import type { SqlView } from './view.ts';

export const freshness: SqlView = {
  name: 'freshness',
  comment:
    'How far each read model has read the log. A row of a table holds everything of its stream up to read_to; while state is live that is, but for a moment, all there is.',
  from: [],
  columns: {
    read_model: 'shops, operations, ledger, suspense, statements or operators',
    state: 'live, catching_up, rebuilding, stopped (an event could not be applied) or not_running',
    read_to: 'Everything in the log up to here is in the tables; null before the first event',
    events: 'Events applied since the tables were made',
    checked_at: 'When its worker last reported it; it does so every few seconds',
  },
  select: `
    select name as read_model,
      case when state = 'stopped' or heartbeat_at > now() - interval '15 seconds' then state
        else 'not_running' end as state,
      position as read_to, events, heartbeat_at as checked_at
    from projections.status where schema = 'gateway'`,
};
