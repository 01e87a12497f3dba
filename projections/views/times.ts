import { operationsReadModel } from '../operations/read-model.ts';
import type { SqlView } from './view.ts';

export const attempts: SqlView = {
  name: 'attempts',
  comment:
    'One row per provider that was tried for an operation: gateway.operations.attempts as rows.',
  from: [operationsReadModel],
  columns: {
    operation_id: 'gateway.operations.operation_id',
    attempt: '1 for the first provider that was tried',
    shop_id: 'gateway.shops.shop_id',
    type: 'payment (in) or payout (out)',
    method: 'Logical payment method',
    provider: 'The provider',
    priority: 'Priority of the route to it',
    outcome:
      'started (no response yet), accepted, refused, unresolved (its outcome is not known) or withdrawn',
    reason: 'Reason of the refusal, or of the missing response',
    provider_reference: "The provider's own id, if it accepted",
    started_at: 'Start of the attempt; for a payout including the reservation',
    answered_at: 'Time of the acceptance, refusal or timeout',
    waited: 'answered_at - started_at',
  },
  select: `
    select o.operation_id, a.attempt, o.shop_id, o.type, o.method, a.provider, a.priority, a.outcome, a.reason,
      a.provider_reference, a.started_at, a.answered_at, a.answered_at - a.started_at as waited
    from gateway.operations o
    cross join lateral jsonb_to_recordset(o.attempts) as a (attempt integer, provider text, priority integer,
      outcome text, reason text, provider_reference text, started_at timestamptz, answered_at timestamptz)`,
};

const shares = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;

export const timeInStatus: SqlView = {
  name: 'time_in_status',
  comment:
    'How long operations stay in each status that they leave again, by type, method and provider. By anything else: ask gateway.status_history in the same way.',
  from: [operationsReadModel],
  columns: {
    type: 'payment (in) or payout (out)',
    method: 'Logical payment method',
    provider: 'The provider that accepted, otherwise the last one tried; null if none was',
    status: 'creating, pending, awaiting_confirmation or manual_check',
    left_times: 'Number of times that it was left: the durations below are of those',
    in_it_now: 'Operations currently in it',
    average: 'Mean time in it',
    p50: 'Half of the times were no longer',
    p90: 'Nine in ten were no longer',
    p99: '99 in a hundred were no longer',
    longest: 'The longest of them',
    oldest_now: 'Since when the oldest of those in it now is',
  },
  select: `
    select o.type, o.method, o.provider, h.status,
      count(h.left_at) as left_times,
      count(*) filter (where h.left_at is null) as in_it_now,
      avg(h.duration) as average,
      ${Object.entries(shares)
        .map(
          ([name, share]) =>
            `percentile_cont(${share}) within group (order by h.duration) as ${name},`,
        )
        .join('\n      ')}
      max(h.duration) as longest,
      min(h.entered_at) filter (where h.left_at is null) as oldest_now
    from gateway.status_history h join gateway.operations o using (operation_id)
    where h.status in ('creating', 'pending', 'awaiting_confirmation', 'manual_check')
    group by 1, 2, 3, 4`,
};
