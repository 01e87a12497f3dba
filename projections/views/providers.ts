import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { dayColumn, money } from './by-day.ts';
import type { SqlView } from './view.ts';

const accepted = 'a.provider_reference is not null';
const answered = `(a.outcome <> 'started')`;
const paid = `a.outcome = 'accepted' and o.status in ('completed', 'partially_completed')`;

export const providerHealthByDay: SqlView = {
  name: 'provider_health_by_day',
  comment:
    'Performance of each provider for attempts of operations that were created on a day, in the time zone of the session, by account, route, method and bank. The newest days still change.',
  from: [operationsReadModel],
  columns: {
    day: 'Day on which the operations were created, in the time zone of the session',
    provider: 'The provider',
    account: 'The account with it that the route uses; default is that of the environment',
    priority: 'Priority of the route to it',
    type: 'payment (in) or payout (out)',
    method: 'Logical payment method',
    bankname: "The bank's code; null where none was named",
    currency: 'Of commission: the settlement currency',
    attempts: 'Number of attempts',
    accepted: 'Attempts that it accepted, whatever their outcome',
    refused: 'Attempts that it refused, or that the gateway gave up before it was called',
    unknown: 'Attempts with an unknown outcome, or without a response in time',
    acceptance_rate: 'accepted / attempts with an outcome, from 0 to 1; null where there are none',
    answer_p50:
      'Half of its answers took no longer, those that were given up included; a payout’s reservation is in it',
    answer_p95: '95 in a hundred took no longer',
    paid: 'Operations that it accepted and that ended with money',
    time_to_paid_p50: 'Half of those ended no longer after their acceptance',
    commission: 'Commission of the service on those',
  },
  select: `
    select ${dayColumn('o.created_at')} as day, a.provider,
      coalesce(a.account, '${defaultAccount}') as account, a.priority, o.type, o.method, o.bankname,
      o.settlement_currency as currency,
      count(*) as attempts,
      count(*) filter (where ${accepted}) as accepted,
      count(*) filter (where a.outcome = 'refused') as refused,
      count(*) filter (where not (${accepted}) and a.outcome in ('unresolved', 'withdrawn')) as unknown,
      round(count(*) filter (where ${accepted})::numeric / nullif(count(*) filter (where ${answered}), 0), 4)
        as acceptance_rate,
      percentile_cont(0.5) within group (order by a.answered_at - a.started_at) as answer_p50,
      percentile_cont(0.95) within group (order by a.answered_at - a.started_at) as answer_p95,
      count(*) filter (where ${paid}) as paid,
      percentile_cont(0.5) within group (order by o.ended_at - o.accepted_at) filter (where ${paid})
        as time_to_paid_p50,
      ${money(`sum(o.commission_amount) filter (where ${paid})`)} as commission
    from gateway.operations o
    cross join lateral jsonb_to_recordset(o.attempts) as a (provider text, account text, priority integer, outcome text,
      provider_reference text, started_at timestamptz, answered_at timestamptz)
    group by 1, 2, 3, 4, 5, 6, 7, 8`,
};
