import type { Route, SkipReason, WhySkip } from '../../routing.ts';
import { begin, candidates, chooseFirstRoute } from '../attempts/next-route.ts';
import { cancelled, declined } from '../ends/terminal-events.ts';
import type { OperationEvent, OperationRequest } from '../events.ts';
import type { OperationState } from '../state.ts';
import type { RequestBodyHash } from './idempotency.ts';
import { repeatOrConflict, type CreateRefusal } from './idempotency.ts';

/** A create with everything that the decision needs: time, routes and ids come from outside. */
export type CreateOperation = {
  operationId: string;
  shopId: string;
  merchantId: string;
  type: 'payment' | 'payout';
  merchantOperationId: string;
  body: RequestBodyHash;
  /** The endpoint, and the version of the API. */
  endpoint: string;
  apiVersion: string;
  request: OperationRequest;
  acceptUntil: string;
  routes: readonly Route[];
  skip?: WhySkip;
};

/**
 * Admits an operation that does not exist yet and begins its first attempt, or declines it where no
 * route fits, or none may be tried now. Refused where it is not known whether one may be tried. One
 * whose cancel came first is admitted and cancelled at once (R8.7).
 */
export function admit(
  state: OperationState,
  create: CreateOperation,
): { events: OperationEvent[] } | { refusal: CreateRefusal } {
  if (state.phase === 'admitted') return { refusal: repeatOrConflict(state, create) };
  const { type, request } = create;
  const admitted = admission(create);
  if (state.phase === 'cancelled_first') {
    // Only payments can be cancelled, so the key belongs to a payment.
    if (type === 'payout') return { refusal: { code: 'idempotency_body_mismatch' } };
    return { events: [admitted, cancelled(state.reason)] };
  }
  const fitting = candidates(create.routes, create);
  if (fitting.length === 0) return { events: [admitted, declined('no_route')] };
  const { events: skipped, route } = chooseFirstRoute(fitting, create.skip);
  if (route)
    return {
      events: [admitted, ...skipped, ...begin({ type, request }, { attempt: 1, route })],
    };
  // A decline is final, and the limit will be known shortly.
  if (hasReason(skipped, 'limit_unknown')) return { refusal: { code: 'limit_unknown' } };
  const why = hasReason(skipped, 'route_full') ? 'routes_full' : 'routes_skipped';
  return { events: [admitted, ...skipped, declined(why)] };
}

const hasReason = (skipped: readonly OperationEvent[], expected: SkipReason): boolean =>
  skipped.some(
    (event) =>
      event.type === 'RoutesSkipped' && event.data.routes.some(({ reason }) => reason === expected),
  );

function admission(create: CreateOperation): OperationEvent {
  const { whole: _, ...bodyHash } = create.body;
  return {
    type: 'OperationAdmitted',
    data: {
      operation_id: create.operationId,
      shop_id: create.shopId,
      merchant_id: create.merchantId,
      type: create.type,
      merchant_operation_id: create.merchantOperationId,
      body_hash: bodyHash,
      request: create.request,
      accept_until: create.acceptUntil,
      endpoint: create.endpoint,
      api_version: create.apiVersion,
    },
  };
}
