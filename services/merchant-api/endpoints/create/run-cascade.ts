import { candidates } from '#shared/domain/operation/attempts/next-route.ts';
import {
  recordAnswer,
  type ProviderAnswer,
} from '#shared/domain/operation/attempts/provider-answer.ts';
import type { OperationEvent, PlainRequest } from '#shared/domain/operation/events.ts';
import { nextCreateStep, type CreateStep } from '#shared/domain/operation/attempts/create-step.ts';
import {
  recordQuote,
  recordReservation,
  type Quote,
} from '#shared/domain/operation/payout-funds/reserve.ts';
import type { Attempt, Operation, OperationState } from '#shared/domain/operation/state.ts';
import type { WhySkip } from '#shared/domain/routing.ts';
import { attemptRef } from '#shared/application/operations/attempt-ref.ts';
import { handleAdmitted } from '#shared/application/operations/handle.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { carries } from '#shared/application/providers/facts.ts';
import { leftForStep } from '../../deadlines.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Cascade } from './cascade.ts';
import { reserveFunds } from './reserve-funds.ts';

/** The part of the acceptance wait that is left for the append after the last answer. */
const appendMarginMs = 50;
/** A quote, a reservation and the provider's answer. */
const stepsPerRoute = 3;

type Now = { timeIsUp: boolean; skip?: WhySkip | undefined };
type Decide = (
  state: OperationState,
  now: Now,
) => { events: OperationEvent[] } | { refusal: { code: 'attempt_overtaken' } };

/**
 * Tries the routes of an operation until it has an outcome, one step after the other. A payout
 * needs a quote and a reservation before the provider is called. Each route gets an equal share of
 * the remaining wait, so that the next provider has time to answer if one hangs (R7.2).
 * @returns the operation with its outcome; undefined if the log could not confirm it.
 */
export async function runCascade(
  dependencies: Dependencies,
  cascade: Cascade,
): Promise<Operation | undefined> {
  const { shop, deadlineMs, origin } = cascade;
  const total = candidates(shop.routes, cascade.operation).length;
  let current = cascade.operation;
  for (let step = 0; step < total * stepsPerRoute; step += 1) {
    const next = nextCreateStep(current);
    if (!next) return current;
    const shares = Math.max(1, total - current.skippedRoutes - next.attempt.attempt + 1);
    const timeoutMs = Math.max(1, Math.floor((deadlineMs - appendMarginMs - Date.now()) / shares));
    const decide = await takeStep(dependencies, cascade, { next, current, timeoutMs });
    if (decide === 'undecided') return undefined;
    if (decide === 'ended')
      return readOperation(dependencies.store, current.operationId).catch(() => undefined);
    const goesOn = startsAttempt(decide(current, { timeIsUp: false }));
    const skip = goesOn ? await cascade.whySkip() : undefined;
    if (goesOn && !skip) return undefined;
    const result = await handleAdmitted(
      {
        store: dependencies.store,
        operation: current,
        origin,
        deadlineMs: leftForStep(deadlineMs),
      },
      (state) => decide(state, { timeIsUp: Date.now() >= deadlineMs - appendMarginMs, skip }),
    );
    if (result.outcome === 'undecided') return undefined;
    if (goesOn && !beganAttempt(result)) cascade.release();
    // Cancelled or ended by another process: the processor withdraws what the provider accepted.
    current = result.state;
    if (result.outcome === 'refused') return current;
    if (result.position !== undefined) dependencies.current.keep(current, result.position);
  }
  return current;
}

/** Which routes may be tried is only read when the next one is needed. */
const startsAttempt = (decision: ReturnType<Decide>): boolean =>
  'events' in decision && beganAttempt(decision);

export const beganAttempt = (
  said: { events: readonly { type: string }[] } | { refusal: unknown },
): boolean => 'events' in said && said.events.some(({ type }) => type === 'AttemptStarted');

/**
 * Calls the provider or the ledger for a step, and returns how the operation applies the answer.
 */
async function takeStep(
  dependencies: Dependencies,
  cascade: Cascade,
  { next, current, timeoutMs }: { next: CreateStep; current: Operation; timeoutMs: number },
): Promise<Decide | 'undecided' | 'ended'> {
  const { routes } = cascade.shop;
  const { attempt } = next.attempt;
  const call = { operation: current, request: cascade.plain, attempt: next.attempt };
  switch (next.step) {
    case 'quote': {
      cascade.slot.release();
      const quote = await askQuote(dependencies, { ...call, timeoutMs });
      return (state, now) => recordQuote(state, { attempt, quote, routes, ...now });
    }
    case 'reserve': {
      const answer = await reserveFunds(dependencies, { ...cascade, operation: current }, next);
      if (answer === 'undecided' || answer === 'ended') return answer;
      const given =
        answer === 'reserved'
          ? { answer }
          : { answer: 'insufficient_funds' as const, funds: answer };
      return (state, now) => recordReservation(state, { attempt, ...given, routes, ...now });
    }
    case 'submit': {
      cascade.slot.release();
      // Usually the key is there since the admission; otherwise it is made while the provider is
      // called.
      const sealing = cascade.sealer();
      const said = await submit(dependencies, { ...call, timeoutMs });
      const sealer = await sealing;
      if (!sealer && said.outcome === 'accepted' && said.requisites) return 'undecided';
      const { operationId } = current;
      const answer = sealer ? sealer.answer({ operationId, attempt }, said) : said;
      return (state, now) => recordAnswer(state, { attempt, answer, routes, ...now });
    }
  }
}

type Call = { operation: Operation; request: PlainRequest; attempt: Attempt; timeoutMs: number };

async function askQuote(
  { providers }: Dependencies,
  { operation, request, attempt, timeoutMs }: Call,
): Promise<Quote> {
  const connector = providers.get(attempt.route.provider);
  if (!connector?.quote) return { outcome: 'refused' };
  return connector.quote({ ...attemptRef(operation, attempt), request }, { timeoutMs });
}

async function submit(
  { providers, breakers, logger }: Dependencies,
  { operation, request, attempt, timeoutMs }: Call,
): Promise<ProviderAnswer> {
  const { operationId } = operation;
  const connector = providers.get(attempt.route.provider);
  if (!connector) return { outcome: 'refused', reason: 'provider_not_configured' };
  if (!carries(connector, attempt.route)) return { outcome: 'refused', reason: 'not_carried' };
  // A submission that can't be repeated may arrive for some time after the end of the wait (R7.15).
  if (!connector.submissions.repeatable && Date.now() >= Date.parse(operation.acceptUntil))
    return { outcome: 'unknown', cause: 'timeout' };
  const startedAt = performance.now();
  const count = breakers?.begin(attempt.route);
  const answer = await connector.submit(
    { ...attemptRef(operation, attempt), request },
    { timeoutMs },
  );
  count?.({ unknown: answer.outcome === 'unknown' });
  logger.debug(
    {
      operationId,
      attempt: attempt.attempt,
      outcome: answer.outcome,
      durationMs: performance.now() - startedAt,
    },
    'provider answered',
  );
  return answer;
}
