import { cancel } from '#shared/domain/operation/decisions.ts';
import { cancelOutcome, type CancelOperation } from '#shared/domain/operation/ends/cancel.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { PersonalData } from '#shared/application/personal-data/personal-data.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { handleOperation } from './handle-operation.ts';
import { ensureEntriesPosted, type EntryPoster } from './post-before-answer.ts';

type CancelPorts = {
  store: EventStore;
  entryPoster: Pick<EntryPoster, 'post'>;
  personal: Pick<PersonalData, 'openFields'>;
};

const undecided = (cause: unknown): never => {
  throw new Problem('cancel_undecided', {
    detail: 'no decision was made: send the same cancel again, or read the operation',
    cause,
  });
};

/** How long a decision may take; after it the answer is `cancel_undecided`. */
const decisionMs = 10_000;

/**
 * A merchant's cancel (R8.9). Decided only on the operation's own stream: of create and cancel the
 * one that is appended first wins, on every instance, and no provider is called.
 * @throws Problem operation_not_found, cancel_payout_unsupported, cancel_not_allowed,
 * cancel_undecided, not_ready
 */
export async function cancelByMerchant(
  { store, entryPoster, personal }: CancelPorts,
  command: CancelOperation,
  origin: Origin,
) {
  const { operationId } = command;
  const result = await handleOperation(
    { store, operationId, from: 'memory', origin, deadlineMs: decisionMs },
    (current) => cancel(current, command),
  );
  if (result.outcome === 'refused') throw new Problem(result.refusal.code);
  if (result.outcome === 'undecided') return undecided(result.cause);
  const { state } = result;
  const outcome = cancelOutcome(state);
  // There is no create yet, so the key is that of a cancelled payment.
  if (state.phase !== 'admitted') return { outcome, status: 'cancelled' as const };
  await ensureEntriesPosted(entryPoster, state);
  const { status, request } = state;
  const { metadata } = await personal.openFields(operationId, request).catch(undecided);
  return { outcome, status, metadata };
}
