import { parseRate } from '../figures.ts';
import { zero } from '../money.ts';
import { eligibleRoutes, type Route } from '../routing.ts';
import type { OperationEvent, OperationEventOf, OperationRequest } from './events.ts';
import { attemptOf, isTerminal, type Operation, type OperationState } from './state.ts';

/** A create, with all that a decision needs: time, routes and ids come in from outside. */
export type CreateOperation = {
  operationId: string;
  shopId: string;
  merchantId: string;
  type: 'payment' | 'payout';
  merchantOperationId: string;
  bodyHash: string;
  request: OperationRequest;
  acceptUntil: string;
  routes: readonly Route[];
};

export type CreateRefusal = { code: 'idempotency_body_mismatch' } | { code: 'already_admitted' };

/**
 * Admits an operation that does not exist yet and begins its first attempt, or declines it for want of a route.
 * `already_admitted`: a repeat, to be answered with the operation as it is (contract §3.1).
 */
export function admit(
  state: OperationState,
  create: CreateOperation,
): { events: OperationEvent[] } | { refusal: CreateRefusal } {
  if (state.phase === 'admitted') {
    const same = state.type === create.type && state.bodyHash === create.bodyHash;
    return { refusal: { code: same ? 'already_admitted' : 'idempotency_body_mismatch' } };
  }
  const [route] = candidates(create.routes, create);
  const { operationId, shopId, merchantId, merchantOperationId, bodyHash, acceptUntil, type, request } =
    create;
  const admitted: OperationEvent = {
    type: 'OperationAdmitted',
    data: {
      operation_id: operationId,
      shop_id: shopId,
      merchant_id: merchantId,
      type,
      merchant_operation_id: merchantOperationId,
      body_hash: bodyHash,
      request,
      accept_until: acceptUntil,
    },
  };
  if (!route) return { events: [admitted, declined('no_route')] };
  return { events: [admitted, { type: 'AttemptStarted', data: { attempt: 1, route } }] };
}

/** What a provider said to an attempt: the outcomes of `ProviderConnector.submit`. */
export type AttemptAnswer =
  | {
      outcome: 'accepted';
      providerReference: string;
      requisites?: OperationEventOf<'AttemptAccepted'>['data']['requisites'];
      expiresAt?: string | undefined;
      fxRate?: string | undefined;
    }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unknown'; cause: 'timeout' | 'error' };

export type AnswerRefusal = {
  /** The operation ended, or went on, while the provider was asked: what it accepted must be withdrawn. */
  code: 'attempt_overtaken';
};

/**
 * Takes a provider's answer into the operation: accepted, or on to the next route, or declined when none is left
 * or no time is (contract §3.14).
 */
export function recordAnswer(
  state: OperationState,
  answered: { attempt: number; answer: AttemptAnswer; routes: readonly Route[]; timeIsUp: boolean },
): { events: OperationEvent[] } | { refusal: AnswerRefusal } {
  const { attempt } = answered;
  if (state.phase === 'none') throw new Error('an attempt is answered before its operation was admitted');
  const current = attemptOf(state, attempt);
  if (state.status !== 'creating' || current?.outcome !== 'started')
    return { refusal: { code: 'attempt_overtaken' } };

  const answer = usable(answered.answer, current.route);
  if (answer.outcome === 'accepted') {
    const { providerReference, requisites, expiresAt, fxRate } = answer;
    return {
      events: [
        {
          type: 'AttemptAccepted',
          data: {
            attempt,
            provider_reference: providerReference,
            ...(requisites && { requisites }),
            ...(expiresAt && { expires_at: expiresAt }),
            ...(fxRate && { fx_rate: fxRate }),
            confirmation_required: state.type === 'payment' && current.route.requires_receipt,
          },
        },
      ],
    };
  }

  const noted: OperationEvent =
    answer.outcome === 'refused'
      ? { type: 'AttemptRefused', data: { attempt, reason: answer.reason } }
      : { type: 'AttemptUnresolved', data: { attempt, cause: answer.cause } };
  const next = candidates(answered.routes, state)[state.attempts.length];
  if (next && !answered.timeIsUp) {
    return { events: [noted, { type: 'AttemptStarted', data: { attempt: attempt + 1, route: next } }] };
  }
  const everyOneRefused =
    answer.outcome === 'refused' &&
    state.attempts.every((each) => each === current || each.outcome === 'refused');
  return { events: [noted, declined(everyOneRefused && !next ? 'all_refused' : 'acceptance_timeout')] };
}

/** An acceptance at no rate, on a route that converts, is none that figures could be made of: it is withdrawn. */
function usable(answer: AttemptAnswer, route: Route): AttemptAnswer {
  if (answer.outcome !== 'accepted') return answer;
  const { fxRate, ...rest } = answer;
  if (!route.conversion) return rest;
  const rate = parseRate(fxRate);
  return rate === undefined ? { outcome: 'unknown', cause: 'error' } : { ...rest, fxRate: rate };
}

/** Rejects a create that nobody brought to an outcome in time; its attempts are then owed a withdrawal. */
export function rejectAbandoned(state: OperationState, nowIso: string): { events: OperationEvent[] } {
  if (state.phase === 'none' || state.status !== 'creating' || nowIso < state.acceptUntil)
    return { events: [] };
  const open = state.attempts.at(-1);
  return {
    events: [
      ...(open?.outcome === 'started'
        ? [{ type: 'AttemptUnresolved', data: { attempt: open.attempt, cause: 'timeout' } } as const]
        : []),
      declined('acceptance_timeout'),
    ],
  };
}

/** Notes that a provider confirmed the end of an attempt that lost (contract §3.9, §3.14). */
export function noteWithdrawal(state: OperationState, attempt: number): { events: OperationEvent[] } {
  if (state.phase === 'none') return { events: [] };
  return attemptsToWithdraw(state).includes(attempt)
    ? { events: [{ type: 'AttemptWithdrawn', data: { attempt } }] }
    : { events: [] };
}

/** The attempts that a provider may still hold although nothing will come of them. */
export function attemptsToWithdraw(state: Operation): number[] {
  return state.attempts
    .filter(({ attempt, outcome }) => {
      if (outcome === 'unresolved') return state.type === 'payment';
      if (outcome === 'accepted') return state.accepted?.attempt !== attempt || state.status === 'cancelled';
      // A process died while it asked: the operation was then cancelled or rejected over its head.
      return outcome === 'started' && isTerminal(state.status);
    })
    .map(({ attempt }) => attempt);
}

function candidates(
  routes: readonly Route[],
  operation: { type: 'payment' | 'payout'; request: OperationRequest },
): Route[] {
  return eligibleRoutes(routes, { type: operation.type, ...operation.request });
}

function declined(reason: 'no_route' | 'all_refused' | 'acceptance_timeout'): OperationEvent {
  return {
    type: 'OperationDeclined',
    data: { actual_amount: zero, settlement_amount: zero, commission_amount: zero, reason },
  };
}
