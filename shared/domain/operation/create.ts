import { convertsToMoney, parseRate } from '../figures.ts';
import { rubBankName } from '../methods.ts';
import type { Route } from '../routing.ts';
import { isSameBody, type GivenBody } from './body-hash.ts';
import { cancelled } from './cancel.ts';
import { begin, candidates, declined, goOn, type CascadeNow } from './cascade.ts';
import type { OperationEvent, OperationRequest, Requisites, StoredRequisites } from './events.ts';
import {
  attemptOf,
  currentReservation,
  isTerminal,
  type Attempt,
  type Operation,
  type OperationState,
} from './state.ts';

/** A create, with all that a decision needs: time, routes and ids come in from outside. */
export type CreateOperation = {
  operationId: string;
  shopId: string;
  merchantId: string;
  type: 'payment' | 'payout';
  merchantOperationId: string;
  body: GivenBody;
  /** Which endpoint took it, of which version of the API. */
  endpoint: string;
  apiVersion: string;
  request: OperationRequest;
  acceptUntil: string;
  routes: readonly Route[];
};

export type CreateRefusal = { code: 'idempotency_body_mismatch' } | { code: 'already_admitted' };

/**
 * Admits an operation that does not exist yet and begins its first attempt, or declines it for want of a route. One
 * whose cancel came first is admitted and cancelled at once (R8.7).
 * `already_admitted`: a repeat, to be answered with the operation as it is (R4.1).
 */
export function admit(
  state: OperationState,
  create: CreateOperation,
): { events: OperationEvent[] } | { refusal: CreateRefusal } {
  if (state.phase === 'admitted') {
    const same = state.type === create.type && isSameBody(state.bodyHash, create.body);
    return { refusal: { code: same ? 'already_admitted' : 'idempotency_body_mismatch' } };
  }
  const { operationId, shopId, merchantId, merchantOperationId, acceptUntil, type, request } = create;
  const { whole: _, ...bodyHash } = create.body;
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
      endpoint: create.endpoint,
      api_version: create.apiVersion,
    },
  };
  if (state.phase === 'cancelled_first') {
    // Only payments are cancelled: the key was a payment's from the first.
    if (type === 'payout') return { refusal: { code: 'idempotency_body_mismatch' } };
    return { events: [admitted, cancelled(state.reason)] };
  }
  const [route] = candidates(create.routes, create);
  if (!route) return { events: [admitted, declined('no_route')] };
  return { events: [admitted, ...begin({ type, request }, { attempt: 1, route })] };
}

type AnswerWith<Given> =
  | {
      outcome: 'accepted';
      providerReference: string;
      requisites?: Given;
      expiresAt?: string | undefined;
      fxRate?: string | undefined;
    }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unknown'; cause: 'timeout' | 'error' };

/** What a provider said to an attempt: the outcomes of `ProviderConnector.submit`. */
export type ProviderAnswer = AnswerWith<Requisites>;
/** The same as the operation takes it: its requisites sealed. */
export type AttemptAnswer = AnswerWith<StoredRequisites>;

export type AnswerRefusal = {
  /** The operation ended, or went on, while the provider was asked: what it accepted must be withdrawn. */
  code: 'attempt_overtaken';
};

/**
 * Takes a provider's answer into the operation: accepted, or on to the next route, or declined when none is left
 * or no time is (R7.4, R7.6). A payout goes on only upon a definite refusal: where the outcome is not known it is
 * `pending`, and its provider's later word counts here too.
 */
export function recordAnswer(
  state: OperationState,
  answered: CascadeNow & { attempt: number; answer: AttemptAnswer },
): { events: OperationEvent[] } | { refusal: AnswerRefusal } {
  const { attempt } = answered;
  if (state.phase !== 'admitted') throw new Error('an attempt is answered before its operation was admitted');
  const current = attemptOf(state, attempt);
  if (!current || !awaitsAnswer(state, current)) return { refusal: { code: 'attempt_overtaken' } };

  const answer = usable(answered.answer, current.route, state);
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
  if (answer.outcome === 'unknown') {
    const noted: OperationEvent = { type: 'AttemptUnresolved', data: { attempt, cause: answer.cause } };
    if (state.type === 'payment')
      return { events: [noted, ...goOn(state, { ...answered, failure: answer.cause })] };
    return { events: current.outcome === 'unresolved' ? [] : [noted] };
  }
  const refused: OperationEvent = { type: 'AttemptRefused', data: { attempt, reason: answer.reason } };
  return current.outcome === 'unresolved'
    ? { events: [refused, declined('provider')] }
    : { events: [refused, ...goOn(state, { ...answered, failure: 'refused' })] };
}

/** Whether an answer to the attempt would be taken. */
export function answerIsAwaited(state: OperationState, attempt: number): boolean {
  if (state.phase !== 'admitted') return false;
  const current = attemptOf(state, attempt);
  return current !== undefined && awaitsAnswer(state, current);
}

function awaitsAnswer(state: Operation, { outcome, dispatched }: Attempt): boolean {
  if (state.status === 'creating') return outcome === 'started' && dispatched;
  return state.type === 'payout' && state.status === 'pending' && outcome === 'unresolved';
}

/**
 * An acceptance of a payment that says neither where to pay nor that a receipt is wanted is none (R7.5). Nor
 * is one at no rate on a route that converts, or at one that leaves nothing of the amount: no figures could be made of
 * it. Both are withdrawn. A payout's quote stands where the acceptance names no other.
 */
function usable(answer: AttemptAnswer, route: Route, state: Operation): AttemptAnswer {
  if (answer.outcome !== 'accepted') return answer;
  const { fxRate, ...said } = answer;
  const payable = state.type === 'payout' || said.requisites !== undefined || route.requires_receipt;
  if (!payable) return { outcome: 'unknown', cause: 'error' };
  const rest = said.requisites ? { ...said, requisites: withBankName(said.requisites) } : said;
  if (!route.conversion) return rest;
  const named = parseRate(fxRate);
  const leaves = named !== undefined && convertsToMoney(state.request.amount, named);
  const rate = leaves ? named : currentReservation(state)?.fxRate;
  return rate === undefined ? { outcome: 'unknown', cause: 'error' } : { ...rest, fxRate: rate };
}

/** A bank that the provider names by its code alone has its name from the dictionary (R5.6). */
function withBankName(requisites: StoredRequisites): StoredRequisites {
  const { bankname, bankname_details: given } = requisites;
  const known = given === undefined && bankname !== undefined ? rubBankName(bankname) : undefined;
  return known === undefined ? requisites : { ...requisites, bankname_details: known };
}

/**
 * Ends a create that nobody brought to an outcome in time; its attempts are then owed a withdrawal. A payout that a
 * provider may have taken becomes `pending`: that provider is asked (R7.6).
 */
export function rejectAbandoned(state: OperationState, nowIso: string): { events: OperationEvent[] } {
  if (state.phase !== 'admitted' || state.status !== 'creating' || nowIso < state.acceptUntil)
    return { events: [] };
  const open = state.attempts.at(-1);
  const unresolved: OperationEvent[] =
    open?.outcome === 'started' && open.dispatched
      ? [{ type: 'AttemptUnresolved', data: { attempt: open.attempt, cause: 'timeout' } }]
      : [];
  if (state.type === 'payout' && unresolved.length > 0) return { events: unresolved };
  return { events: [...unresolved, declined('acceptance_timeout')] };
}

/** Notes that a provider confirmed the end of an attempt that lost (R7.11). */
export function noteWithdrawal(state: OperationState, attempt: number): { events: OperationEvent[] } {
  if (state.phase !== 'admitted') return { events: [] };
  return attemptsToWithdraw(state).includes(attempt)
    ? { events: [{ type: 'AttemptWithdrawn', data: { attempt } }] }
    : { events: [] };
}

/** The attempts that a provider may still hold although nothing will come of them. */
export function attemptsToWithdraw(state: Operation): number[] {
  return state.attempts
    .filter(({ attempt, outcome, dispatched }) => {
      // Nothing is wanted any more of whatever the provider may hold.
      if (state.closedByHand && (outcome === 'accepted' || outcome === 'unresolved')) return true;
      if (outcome === 'unresolved') return state.type === 'payment';
      if (outcome === 'accepted')
        return state.accepted?.attempt !== attempt || state.status === 'cancelled' || state.declinedByReview;
      // A process died while it asked: the operation was then cancelled or rejected over its head.
      return outcome === 'started' && dispatched && isTerminal(state.status);
    })
    .map(({ attempt }) => attempt);
}
