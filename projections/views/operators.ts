import { operationsReadModel } from '../operations/read-model.ts';
import { operatorsReadModel } from '../operators/read-model.ts';
import { shopsReadModel } from '../shops/read-model.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import type { SqlView } from './view.ts';

export const operatorActions: SqlView = {
  name: 'operator_actions',
  comment:
    'Actions of operators, one row per command: setup, decisions on operations and on late facts, corrections, redeliveries, erasures, tokens.',
  from: [operatorsReadModel, operationsReadModel, suspenseReadModel, shopsReadModel],
  columns: {
    done_at: 'Time of the event in the log',
    actor: 'The operator: operator:<name>',
    token_id: 'The token; null in old events, and for late facts',
    action:
      'The type of the event: gateway.operator_commands.command, ReviewDecided, CloseDecided, LateStatusAcknowledged, or EntryPosted for late money that was resolved',
    outcome: 'The decision: approve, decline, ask_again or close; gateway.suspense.resolution',
    merchant_id: 'gateway.merchants.merchant_id, if it concerns one',
    shop_id: 'gateway.shops.shop_id, if it concerns one',
    operation_id: 'gateway.operations.operation_id, if it concerns one',
    subject: 'gateway.operator_commands.subject; of a late fact its entry_id',
    amount: 'Of an adjustment, a review that saw an amount, or late money',
    currency: 'Of amount',
    position: 'Its position in the log; of a late fact that of the fact itself',
  },
  select: `
    select c.done_at, c.actor, c.token_id, c.command as action, null as outcome,
      coalesce(c.merchant_id, s.merchant_id) as merchant_id, c.shop_id, null::uuid as operation_id,
      c.subject, c.amount, c.currency, c.position
    from gateway.operator_commands c left join gateway.shops s using (shop_id)
    union all
    select d.decided_at, d.actor, d.token_id,
      case d.decision when 'close' then 'CloseDecided' else 'ReviewDecided' end, d.decision,
      o.merchant_id, d.shop_id, d.operation_id, null, d.approved_amount,
      case when d.approved_amount is not null then o.currency end, d.position
    from gateway.operation_decisions d join gateway.operations o using (operation_id)
    union all
    select resolved_at, resolved_by, null,
      case resolution when 'acknowledge' then 'LateStatusAcknowledged' else 'EntryPosted' end, resolution,
      merchant_id, shop_id, operation_id, entry_id, amount, currency, position
    from gateway.suspense where status = 'resolved'`,
};
