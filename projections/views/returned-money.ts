import { operationsReadModel } from '../operations/read-model.ts';
import { lateReturnKinds } from '../operations/returned.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import type { SqlView } from './view.ts';

export const returnedMoney: SqlView = {
  name: 'returned_money',
  comment:
    'One row per operation of whose money something came back, before its terminal status or after it. Each return: gateway.returned_legs and gateway.suspense.',
  from: [operationsReadModel, suspenseReadModel],
  columns: {
    operation_id: 'gateway.operations.operation_id',
    shop_id: 'gateway.shops.shop_id',
    merchant_id: 'gateway.merchants.merchant_id',
    merchant_operation_id: "The merchant's own id of the operation",
    type: 'payment (charged back) or payout (returned)',
    provider: 'The provider of the operation',
    currency: 'Of returned_amount: the currency of the operation',
    returned_amount:
      'All that came back so far, as the API and the lists show it. actual_amount and the figures of the settlement stay as they were after the terminal status',
    last_returned_at: 'Time of the newest event in the log that added to it or corrected it',
  },
  select: `
    select o.operation_id, o.shop_id, o.merchant_id, o.merchant_operation_id, o.type, o.provider, o.currency,
      sum(back.amount)::numeric(38,2) as returned_amount, max(back.recorded_at) as last_returned_at
    from (
      select operation_id, amount, recorded_at from gateway.returned_legs
      union all
      select operation_id, amount, received_at from gateway.suspense where kind in (${lateReturnKinds})
    ) back join gateway.operations o using (operation_id)
    group by o.operation_id
    having sum(back.amount) <> 0`,
};
