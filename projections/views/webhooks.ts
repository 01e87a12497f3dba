import { shopsReadModel } from '../shops/read-model.ts';
import { dayColumn } from './by-day.ts';
import type { SqlView } from './view.ts';

// The delivery's own tables, which are not read models: the content of messages and answers stays
// there.

export const webhookMessages: SqlView = {
  name: 'webhook_messages',
  comment:
    'One row per webhook for a merchant, with the state of its delivery, without its content.',
  from: [shopsReadModel],
  columns: {
    message_id: 'Id of this message',
    event_id: 'Id of its event, webhook-id of every attempt: the same for all endpoints',
    merchant_id: 'gateway.merchants.merchant_id',
    shop_id: 'gateway.shops.shop_id',
    endpoint_id:
      'The endpoint that it is for: a key of gateway.shops.webhook_endpoints, or deleted',
    operation_id: 'gateway.operations.operation_id; null for a ping',
    sequence: "Counts the operation's webhooks from 1",
    type: 'Such as payment.completed',
    status:
      'pending, delivered, exhausted (no attempt is left) or cancelled (its endpoint was deleted)',
    attempts_count: 'Attempts so far: gateway.webhook_attempts',
    occurred_at: 'Time of the event',
    finished_at: 'Time of the delivery, or of the last attempt; null while pending',
    waited: 'finished_at - occurred_at',
  },
  select: `
    select m.message_id, coalesce(m.event_id, m.message_id) as event_id, s.merchant_id, m.shop_id,
      m.endpoint_id, m.operation_id::uuid as operation_id, m.sequence, m.type, m.status,
      m.attempt_count as attempts_count, m.occurred_at, m.finished_at, m.finished_at - m.occurred_at as waited
    from webhooks.message m left join gateway.shops s using (shop_id)`,
};

export const webhookAttempts: SqlView = {
  name: 'webhook_attempts',
  comment: 'One row per attempt to deliver a webhook. Without the URL and the endpoint’s response.',
  from: [],
  columns: {
    message_id: 'gateway.webhook_messages.message_id',
    number: '1 for the first attempt',
    shop_id: 'gateway.shops.shop_id',
    endpoint_id: 'gateway.webhook_messages.endpoint_id',
    type: 'Such as payment.completed',
    started_at: 'Start of the attempt',
    duration: 'Duration of the attempt',
    status_code: 'HTTP status of the response; null without a response',
    error: 'Reason of a missing response',
    delivered: 'The endpoint acknowledged it: any 2xx',
  },
  select: `
    select a.message_id, a.number, m.shop_id, m.endpoint_id, m.type, a.started_at,
      a.duration_ms * interval '1 millisecond' as duration, a.status_code, a.error,
      coalesce(a.status_code between 200 and 299, false) as delivered
    from webhooks.attempt a join webhooks.message m using (message_id)`,
};

export const webhookDeliveryByDay: SqlView = {
  name: 'webhook_delivery_by_day',
  comment:
    'Deliveries of the webhooks of a day, in the time zone of the session, by shop, endpoint and type.',
  from: [shopsReadModel],
  columns: {
    day: 'Day of their events, in the time zone of the session',
    merchant_id: 'gateway.merchants.merchant_id',
    shop_id: 'gateway.shops.shop_id',
    endpoint_id: 'gateway.webhook_messages.endpoint_id',
    type: 'Such as payment.completed',
    messages: 'Number of webhooks',
    delivered: 'Delivered webhooks',
    at_once: 'Webhooks delivered by the first attempt',
    pending: 'Pending webhooks',
    exhausted: 'Exhausted webhooks, which can be redelivered',
    attempts: 'Number of attempts',
    delivered_rate: 'delivered / messages, from 0 to 1',
    p50: 'Half of the delivered ones took no longer, from the event on',
    p95: '95 in a hundred of them took no longer',
    longest: 'The longest of them',
  },
  select: `
    select ${dayColumn('m.occurred_at')} as day, s.merchant_id, m.shop_id, m.endpoint_id, m.type,
      count(*) as messages,
      count(*) filter (where m.status = 'delivered') as delivered,
      count(*) filter (where m.status = 'delivered' and m.attempt_count = 1) as at_once,
      count(*) filter (where m.status = 'pending') as pending,
      count(*) filter (where m.status = 'exhausted') as exhausted,
      sum(m.attempt_count) as attempts,
      round(count(*) filter (where m.status = 'delivered')::numeric / count(*), 4) as delivered_rate,
      percentile_cont(0.5) within group (order by m.finished_at - m.occurred_at)
        filter (where m.status = 'delivered') as p50,
      percentile_cont(0.95) within group (order by m.finished_at - m.occurred_at)
        filter (where m.status = 'delivered') as p95,
      max(m.finished_at - m.occurred_at) filter (where m.status = 'delivered') as longest
    from webhooks.message m left join gateway.shops s using (shop_id)
    group by 1, 2, 3, 4, 5`,
};
