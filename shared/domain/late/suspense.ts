import type { LateMoney } from '../ledger/direction.ts';
import type { OperationType } from '../operation-type.ts';
import type { LateEvent } from './events.ts';

type LateMoneyEvent = Extract<
  LateEvent,
  { type: 'LateMoneyReceived' | 'MoneyReturned' | 'DifferenceReported' }
>;

/** Whether a late fact is money, which is posted, and which an operator decides on. */
export const isLateMoney = (event: LateEvent): event is LateMoneyEvent =>
  event.type === 'LateMoneyReceived' ||
  event.type === 'MoneyReturned' ||
  event.type === 'DifferenceReported';

/** Late money as its entries name it. */
export function toSuspense(
  { data }: LateMoneyEvent,
  operationType: OperationType,
): LateMoney & { legId: string } {
  const ofLegId = 'of_leg_id' in data ? data.of_leg_id : undefined;
  const { leg_id: legId, amount } = data.leg;
  return { legId, operationType, amount, ...(ofLegId !== undefined && { ofLegId }) };
}
