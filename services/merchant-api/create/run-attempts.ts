import { recordAnswer, type AnswerRefusal, type AttemptAnswer } from '#shared/domain/operation/create.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { Attempt, Operation, OperationState } from '#shared/domain/operation/state.ts';
import { eligibleRoutes, type Route } from '#shared/domain/routing.ts';
import { handleCommand } from '#shared/event-store/index.ts';
import type { Origin } from '#shared/operations/origin.ts';
import { evolveStored, toNewEvents } from '#shared/operations/streams.ts';
import type { Dependencies } from '../dependencies.ts';

/** Left of the wait for the append that follows the last answer. */
const appendMarginMs = 50;

export type Cascade = { operation: Operation; routes: readonly Route[]; deadlineMs: number; origin: Origin };

/**
 * Calls one provider after the other until the operation has an outcome. Each gets an equal share of what is left of
 * the wait, so that one that hangs leaves the next time to answer (contract §3.14).
 * @returns the operation with its outcome; nothing when the log could not say what became of it.
 */
export async function runAttempts(
  dependencies: Dependencies,
  { operation, routes, deadlineMs, origin }: Cascade,
): Promise<Operation | undefined> {
  const total = eligibleRoutes(routes, { type: operation.type, ...operation.request }).length;
  let current = operation;
  for (let round = 0; round < total; round += 1) {
    const attempt = current.attempts.at(-1);
    if (current.status !== 'creating' || attempt?.outcome !== 'started') return current;
    const shares = Math.max(1, total - attempt.attempt + 1);
    const timeoutMs = Math.max(1, Math.floor((deadlineMs - appendMarginMs - Date.now()) / shares));
    const answer = await submit(dependencies, { operation: current, attempt, timeoutMs });
    const result = await handleCommand<OperationState, AnswerRefusal>({
      store: dependencies.store,
      stream: operationStream(current.operationId),
      state: current,
      readFirst: false,
      evolve: evolveStored,
      decide: (state) => {
        const timeIsUp = Date.now() >= deadlineMs - appendMarginMs;
        const decision = recordAnswer(state, { attempt: attempt.attempt, answer, routes, timeIsUp });
        return 'refusal' in decision ? decision : { events: toNewEvents(decision.events, origin) };
      },
    });
    if (result.outcome === 'undecided') return undefined;
    // Overtaken (cancelled, or rejected over our head): the processor withdraws what the provider accepted.
    current = result.state as Operation;
    if (result.outcome === 'refused') return current;
  }
  return current;
}

async function submit(
  { providers, logger }: Dependencies,
  { operation, attempt, timeoutMs }: { operation: Operation; attempt: Attempt; timeoutMs: number },
): Promise<AttemptAnswer> {
  const { operationId, type, request } = operation;
  const connector = providers.get(attempt.route.provider);
  if (!connector) return { outcome: 'refused', reason: 'provider_not_configured' };
  const startedAt = performance.now();
  const answer = await connector.submit(
    { operationId, attempt: attempt.attempt, type, request, route: attempt.route },
    { timeoutMs },
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
