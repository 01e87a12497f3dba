import { decimalsIn } from '#shared/domain/currencies.ts';
import { decideReview } from '#shared/domain/operation/decisions.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import type {
  OperatorReview,
  ReviewRefusal,
} from '#shared/domain/operation/receipt/operator-review.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import {
  foldStored,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { newId } from '#shared/platform/ids.ts';
import { admitted, handleOperation } from './handle-operation.ts';
import type { EntryPoster } from './post-before-answer.ts';
import { readAndPost, readOperationEvents } from './read-events.ts';
import { operations } from './streams.ts';

type Without<Review, Keys extends string> = Review extends unknown ? Omit<Review, Keys> : never;
/** A decision as an operator sends it. */
export type ReviewCommand = Without<OperatorReview, 'legId' | 'nowIso'>;

/**
 * A person's decision on a receipt (R9.9).
 * @returns the operation's events; their entries are posted
 * @throws Problem operation_not_found, review_not_allowed, forbidden, invalid_request; not_ready
 * when the command should be retried
 */
export async function reviewReceipt(
  ports: { store: EventStore; entryPoster: Pick<EntryPoster, 'post'> },
  operationId: string,
  { origin, ...command }: ReviewCommand & { origin: Origin },
): Promise<StoredEvent[]> {
  const { store } = ports;
  const from = foldStored(operations, await readOperationEvents(store, operationId));
  const result = await handleOperation({ store, operationId, from, origin }, (state) =>
    decideReview(state, withLeg(command)),
  );
  if (result.outcome === 'undecided') throw notDecided(result.cause);
  if (result.outcome === 'refused') throw refusal(result.state, result.refusal);
  return readAndPost(ports, operationId);
}

/**
 * The operation as it would be after a decision.
 * @throws Problem as the command would be answered
 */
export function simulateReview(events: readonly StoredEvent[], command: ReviewCommand): Operation {
  const state = foldStored(operations, events);
  const decided = decideReview(state, withLeg(command));
  if ('refusal' in decided) throw refusal(state, decided.refusal);
  return admitted(fold(decided.events, state));
}

const withLeg = (command: ReviewCommand): OperatorReview => ({
  ...command,
  legId: newId(),
  nowIso: new Date().toISOString(),
});

function refusal(state: OperationState, { code }: ReviewRefusal): Problem {
  if (state.phase !== 'admitted') return new Problem('operation_not_found');
  if (code === 'review_not_allowed') return new Problem(code);
  if (code === 'another_receipt')
    return new Problem('review_not_allowed', {
      detail: 'another receipt is now under review: open the review again',
    });
  if (code === 'amount_above_expected')
    return new Problem('forbidden', {
      detail: 'approving more than the expected amount requires the admin role',
    });
  const detail =
    code === 'amount_unfit'
      ? `${state.request.currency} has ${decimalsIn(state.request.currency)} decimals`
      : 'more than that has been received already';
  return invalidRequest([{ pointer: '/actual_amount', code: 'amount_invalid', detail }]);
}
