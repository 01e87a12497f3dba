import type { OperationEvent } from '../events.ts';
import { admitted, noMoney, route } from './given.ts';

/** Events and answers of a payout, and of its reservation. */

export const plain = route({ type: 'payout' });
export const expensiveRoute = route({
  type: 'payout',
  priority: 2,
  commission: { percent: '5.00', fixed: '0.00' },
});
export const converting = route({
  type: 'payout',
  conversion: { settlement_currency: 'USD', fx_source: 'sandbox' },
});
export const payout = admitted({ type: 'payout' });
export const now = { routes: [plain], timeIsUp: false };

export const requested = (reservation = 1, amount = '102.50'): OperationEvent => ({
  type: 'ReservationRequested',
  data: { reservation, currency: 'RUB', amount },
});
export const inDollars: OperationEvent = {
  type: 'ReservationRequested',
  data: { reservation: 1, currency: 'USD', amount: '1.28', fx_rate: '0.012500' },
};
export const reserved = (attempt = 1, reservation = 1): OperationEvent => ({
  type: 'FundsReserved',
  data: { reservation, attempt },
});
export const unresolved: OperationEvent = {
  type: 'AttemptUnresolved',
  data: { attempt: 1, cause: 'timeout' },
};
export const refused = (attempt = 1, reason = 'limit'): OperationEvent => ({
  type: 'AttemptRefused',
  data: { attempt, reason },
});
export const declined = (reason: string) =>
  ({ type: 'OperationDeclined', data: { ...noMoney, reason } }) as OperationEvent;
export const acceptedBy = (attempt = 1): OperationEvent => ({
  type: 'AttemptAccepted',
  data: { attempt, provider_reference: 'ref-1', confirmation_required: false },
});
export const yes = { outcome: 'accepted', providerReference: 'ref-1' } as const;
export const no = { outcome: 'refused', reason: 'limit' } as const;
export const silence = { outcome: 'unknown', cause: 'timeout' } as const;
