import type { DeclineCause } from '../events.ts';

/** Why an operation was declined, as merchants, payers and operators see it (R5.15). */
export const declineReasons = [
  'no_route',
  'routes_full',
  'provider_unavailable',
  'provider_refused',
  'acceptance_timeout',
  'insufficient_funds',
  'receipt_rejected',
  'provider_declined',
  'closed_by_operator',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

const reasons: Readonly<Record<DeclineCause, DeclineReason>> = {
  no_route: 'no_route',
  routes_skipped: 'provider_unavailable',
  routes_full: 'routes_full',
  all_refused: 'provider_refused',
  acceptance_timeout: 'acceptance_timeout',
  provider_error: 'provider_unavailable',
  insufficient_funds: 'insufficient_funds',
  provider: 'provider_declined',
  review: 'receipt_rejected',
  close: 'closed_by_operator',
};

/** The reason of an `OperationDeclined`. */
export const declineReasonOf = (cause: DeclineCause): DeclineReason => reasons[cause];
