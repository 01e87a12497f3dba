import {
  recordAnswer,
  recordQuote,
  recordReservation,
} from '#shared/domain/operation/decisions.ts';
import { candidates, type CascadeNow } from '#shared/domain/operation/attempts/next-route.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { OperationEvent, PlainRequest } from '#shared/domain/operation/events.ts';
import { nextCreateStep, type CreateStep } from '#shared/domain/operation/attempts/create-step.ts';
import type { Quote } from '#shared/domain/operation/payout-funds/record.ts';
import type { Attempt, Operation, OperationState } from '#shared/domain/operation/state.ts';
import type { Shop } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import { attemptRef, type ProviderConnector } from '#shared/application/providers/connector.ts';
import { handleAdmitted } from '#shared/application/operations/handle-operation.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { UndecidedCommand } from '#shared/platform/event-store/handle-command.ts';
import { hasPersonalData, type Sealer } from '#shared/application/personal-data/personal-data.ts';
import { carries } from '#shared/application/providers/facts.ts';
import { leftForStep } from './deadlines.ts';
import type { CreatePorts, CreateSlot } from './ports.ts';
import { reserveFunds } from './reserve-funds.ts';
import type { RouteAvailability } from './route-availability.ts';

/** The part of the acceptance wait that is left for the append after the last answer. */
const appendMarginMs = 50;
/** A quote, a reservation and the provider's answer. */
const stepsPerRoute = 3;
/** Of an attempt's time, at most this for asking first; the rest is for the order. */
const askShare = 1 / 2;
/** With less of its time left a payout is not ordered: its outcome would hardly be known. */
const leastShareToOrder = 1 / 4;

/** A create whose operation was admitted. */
type AdmittedCreate = {
  operation: Operation;
  /** The log position of the admission. */
  admittedAt: bigint;
  /** The request in plain text, for providers. */
  plain: PlainRequest;
  shop: Shop;
  origin: Origin;
  deadlineMs: number;
  /** Gets the client's key; undefined if the store does not answer. */
  sealer(): Promise<Sealer | undefined>;
  routesNow(): Promise<RouteAvailability>;
  slot: Pick<CreateSlot, 'release' | 'reacquire'>;
};

/** How the operation records the answer of a provider or the ledger. */
type Decide = (
  state: OperationState,
  now: CascadeNow,
) => { events: OperationEvent[] } | { refusal: { code: 'attempt_overtaken' } };

const noRoutesLeft: RouteAvailability = { skip: () => undefined, release: () => {} };

/**
 * Tries the routes of an operation until it has an outcome, one step after the other. A payout
 * needs a quote and a reservation before the provider is called. Each route gets an equal share of
 * the remaining wait, so that the next provider has time to answer if one hangs (R7.2).
 * @returns the operation with its outcome; undefined if the log could not confirm it.
 */
export async function tryRoutes(
  dependencies: CreatePorts,
  create: AdmittedCreate,
): Promise<Operation | undefined> {
  const { store, current: reads } = dependencies;
  const { shop, deadlineMs, origin } = create;
  const { routes } = shop;
  const total = candidates(routes, create.operation).length;
  let operation = create.operation;
  for (let step = 0; step < total * stepsPerRoute; step += 1) {
    const next = nextCreateStep(operation);
    if (!next) return operation;
    const left = Math.max(0, total - operation.skippedRoutes - next.attempt.attempt);
    const remainingMs = deadlineMs - appendMarginMs - Date.now();
    const timeoutMs = Math.max(1, Math.floor(remainingMs / (left + 1)));
    const decide = await callFor(dependencies, { ...create, operation }, { next, timeoutMs });
    if (decide === 'undecided') return undefined;
    if (decide === 'ended')
      return readOperation(store, operation.operationId).catch(() => undefined);
    const { skip, release } = left > 0 ? await create.routesNow() : noRoutesLeft;
    const result = await handleAdmitted(
      {
        store,
        operation,
        origin,
        deadlineMs: leftForStep(deadlineMs),
        seal: (events) => sealWith(create, events),
      },
      (state) =>
        decide(state, { routes, skip, timeIsUp: Date.now() >= deadlineMs - appendMarginMs }),
    );
    if (result.outcome !== 'done' || !beginsAttempt(result.decision)) release();
    if (result.outcome === 'undecided') return undefined;
    // Cancelled or ended by another process: the processor withdraws what the provider accepted.
    operation = result.state;
    if (result.outcome === 'refused') return operation;
    if (result.position !== undefined) reads.cache(operation, result.position);
  }
  return operation;
}

/** @throws UndecidedCommand when the store does not answer for the client's key */
async function sealWith(
  { operation, sealer }: AdmittedCreate,
  events: readonly OperationEvent[],
): Promise<readonly OperationEvent[]> {
  if (!events.some(hasPersonalData)) return events;
  const found = await sealer();
  if (!found) throw new UndecidedCommand(new Error('the key of the client is not known'));
  return events.map((event) => found.event(operation.operationId, event));
}

export const beginsAttempt = ({ events }: { events: readonly { type: string }[] }): boolean =>
  events.some(({ type }) => type === 'AttemptStarted');

/**
 * Calls the provider or the ledger for a step, and returns how the operation records the answer.
 */
async function callFor(
  dependencies: CreatePorts,
  create: AdmittedCreate,
  { next, timeoutMs }: { next: CreateStep; timeoutMs: number },
): Promise<Decide | 'undecided' | 'ended'> {
  const { operation, plain: request } = create;
  const { attempt } = next.attempt;
  const call = { operation, request, attempt: next.attempt, timeoutMs };
  switch (next.step) {
    case 'quote': {
      create.slot.release();
      const quote = await requestQuote(dependencies, call);
      return (state, now) => recordQuote(state, { attempt, quote, ...now });
    }
    case 'reserve': {
      await create.slot.reacquire();
      const answer = await reserveFunds(dependencies.ledgers, create, next);
      if (answer === 'undecided' || answer === 'ended') return answer;
      const result =
        answer === 'reserved'
          ? { answer }
          : { answer: 'insufficient_funds' as const, funds: answer };
      return (state, now) => recordReservation(state, { attempt, ...result, ...now });
    }
    case 'submit': {
      create.slot.release();
      // Usually the key is there since the admission; otherwise it is made while the provider is
      // called.
      void create.sealer();
      const answer = await submit(dependencies, call);
      return (state, now) => recordAnswer(state, { attempt, answer, ...now });
    }
  }
}

type Call = { operation: Operation; request: PlainRequest; attempt: Attempt; timeoutMs: number };

async function requestQuote(
  { providers }: CreatePorts,
  { operation, request, attempt, timeoutMs }: Call,
): Promise<Quote> {
  const connector = providers.get(attempt.route.provider);
  if (!connector?.quote) return { outcome: 'refused' };
  return connector.quote({ ...attemptRef(operation, attempt), request }, { timeoutMs });
}

async function submit(
  { providers, breakers, logger }: CreatePorts,
  { operation, request, attempt, timeoutMs }: Call,
): Promise<ProviderAnswer> {
  const { operationId } = operation;
  const connector = providers.get(attempt.route.provider);
  if (!connector) return { outcome: 'refused', reason: 'provider_not_configured' };
  if (!carries(connector, attempt.route)) return { outcome: 'refused', reason: 'not_carried' };
  const startedAt = performance.now();
  const count = breakers?.begin(attempt.route);
  const counted = (given: ProviderAnswer) => {
    count?.({ unknown: given.outcome === 'unknown' });
    return given;
  };
  const asked = await askFirst(connector, { operation, attempt, timeoutMs });
  if (typeof asked === 'object') return counted(asked);
  const leftMs = timeoutMs - (performance.now() - startedAt);
  if (asked === 'not_found' && leftMs < timeoutMs * leastShareToOrder)
    return counted({ outcome: 'refused', reason: 'never_submitted' });
  // A submission that can't be repeated may arrive for some time after the end of the wait (R7.15).
  if (!connector.submissions.repeatable && Date.now() >= Date.parse(operation.acceptUntil))
    return { outcome: 'unknown', cause: 'timeout' };
  const answer = counted(
    await connector.submit(
      { ...attemptRef(operation, attempt), request },
      { timeoutMs: Math.max(1, leftMs) },
    ),
  );
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

/**
 * The answer to an earlier submission of a payout, where a second one would be paid twice: a log
 * that was restored to an older state has forgotten it (R7.15).
 */
async function askFirst(
  connector: ProviderConnector,
  { operation, attempt, timeoutMs }: Omit<Call, 'request'>,
): Promise<ProviderAnswer | 'not_asked' | 'not_found'> {
  if (connector.submissions.repeatable || operation.type === 'payment') return 'not_asked';
  const bounds = { timeoutMs: Math.max(1, Math.floor(timeoutMs * askShare)) };
  const found = await connector.ask(attemptRef(operation, attempt), bounds);
  switch (found.outcome) {
    case 'known':
      return found.answer;
    case 'not_found':
      return 'not_found';
    case 'never_submitted':
      return { outcome: 'refused', reason: 'never_submitted' };
    case 'unknown':
      // This process has ordered nothing, but what the log has forgotten may have been ordered: it
      // is polled until the provider answers, and no other route is tried.
      return { outcome: 'unknown', cause: 'error' };
  }
}
