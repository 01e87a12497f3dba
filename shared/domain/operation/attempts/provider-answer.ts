import { convertsToMoney, parseRate } from '../../exchange-rate.ts';
import { bankNameIn } from '../../methods/index.ts';
import type { Route } from '../../routing.ts';
import { declined } from '../ends/terminal-events.ts';
import type { OperationEvent, Requisites, StoredRequisites } from '../events.ts';
import {
  findAttempt,
  currentReservation,
  type Attempt,
  type Operation,
  type OperationState,
} from '../state.ts';
import { tryNextRoute, type CascadeNow } from './next-route.ts';

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

/** A provider's answer to an attempt: the outcomes of `ProviderConnector.submit`. */
export type ProviderAnswer = AnswerWith<Requisites>;
/** The same with its requisites sealed, or not yet. */
export type AttemptAnswer = AnswerWith<StoredRequisites>;

type AnswerRefusal = {
  /**
   * The operation ended or moved on in the meantime: what the provider accepted must be withdrawn.
   */
  code: 'attempt_overtaken';
};

type AnsweredAttempt<Answer> = CascadeNow & { attempt: number; answer: Answer };

/**
 * Records a provider's answer: accepted, or the next route is tried, or the operation is declined
 * when no route is left or the wait is over (R7.4, R7.6). A payout tries the next route only after
 * a definite refusal: where the outcome is not known it is `pending`, and its provider's later
 * answer is taken here too. Unknown: not answered within the attempt's share of the acceptance wait
 * (what is left of it, by the routes left: `try-routes.ts` of the API). A payment's attempt is then
 * withdrawn (`due-steps/withdrawals.ts`), a payout's polled (`reports/silent-provider.ts`).
 */
export function recordAnswer(
  state: OperationState,
  answered: AnsweredAttempt<AttemptAnswer>,
): { events: OperationEvent[] } | { refusal: AnswerRefusal } {
  const { attempt } = answered;
  if (state.phase !== 'admitted')
    throw new Error('an attempt is answered before its operation was admitted');
  const current = findAttempt(state, attempt);
  if (!current || !awaitsAnswer(state, current)) return { refusal: { code: 'attempt_overtaken' } };

  const answer = usable(answered.answer, current.route, state);
  if (answer.outcome === 'accepted') return { events: [acceptance(state, current, answer)] };
  if (answer.outcome === 'unknown') {
    const noted: OperationEvent = {
      type: 'AttemptUnresolved',
      data: { attempt, cause: answer.cause },
    };
    if (state.type === 'payment')
      return { events: [noted, ...tryNextRoute(state, { ...answered, failure: answer.cause })] };
    return { events: current.outcome === 'unresolved' ? [] : [noted] };
  }
  const refused: OperationEvent = {
    type: 'AttemptRefused',
    data: { attempt, reason: answer.reason },
  };
  return current.outcome === 'unresolved'
    ? { events: [refused, declined('provider')] }
    : { events: [refused, ...tryNextRoute(state, { ...answered, failure: 'refused' })] };
}

function acceptance(
  { type }: Operation,
  { attempt, route }: Attempt,
  answer: Extract<AttemptAnswer, { outcome: 'accepted' }>,
): OperationEvent {
  const { providerReference, requisites, expiresAt, fxRate } = answer;
  return {
    type: 'AttemptAccepted',
    data: {
      attempt,
      provider_reference: providerReference,
      ...(requisites && { requisites }),
      ...(expiresAt && { expires_at: expiresAt }),
      ...(fxRate && { fx_rate: fxRate }),
      confirmation_required: type === 'payment' && route.requires_receipt,
    },
  };
}

/** Whether an answer to the attempt is still awaited. */
function awaitsAnswer(state: Operation, { outcome, dispatched }: Attempt): boolean {
  if (state.status === 'creating') return outcome === 'started' && dispatched;
  return state.type === 'payout' && state.status === 'pending' && outcome === 'unresolved';
}

/**
 * Some acceptances can't be used: a payment's that names neither where to pay nor a receipt (R7.5),
 * and one on a converting route without a rate, or with a rate that leaves nothing of the amount.
 * They count as unknown, and are withdrawn. A payout uses its quote if the acceptance has no rate.
 */
function usable(answer: AttemptAnswer, route: Route, state: Operation): AttemptAnswer {
  if (answer.outcome !== 'accepted') return answer;
  const { fxRate, ...accepted } = answer;
  const payable =
    state.type === 'payout' || accepted.requisites !== undefined || route.requires_receipt;
  if (!payable) return { outcome: 'unknown', cause: 'error' };
  const rest = accepted.requisites
    ? { ...accepted, requisites: withBankName(accepted.requisites, state) }
    : accepted;
  if (!route.conversion) return rest;
  const { settlement_currency: currency } = route.conversion;
  const named = parseRate(fxRate);
  const leaves =
    named !== undefined && convertsToMoney(state.request.amount, { fxRate: named, currency });
  const rate = leaves ? named : currentReservation(state)?.fxRate;
  return rate === undefined ? { outcome: 'unknown', cause: 'error' } : { ...rest, fxRate: rate };
}

/** A bank that the provider names only by its code gets its name from the dictionary (R5.6). */
function withBankName(
  requisites: StoredRequisites,
  { request: { currency } }: Operation,
): StoredRequisites {
  const { bankname, bankname_details: details } = requisites;
  const standardName =
    details === undefined && bankname !== undefined ? bankNameIn(currency, bankname) : undefined;
  return standardName === undefined
    ? requisites
    : { ...requisites, bankname_details: standardName };
}
