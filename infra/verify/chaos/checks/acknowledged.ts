import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import {
  isTerminal,
  type OperationState,
  type OperationStatus,
} from '#shared/domain/operation/state.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { StoryRun } from '../load/acted.ts';
import type { StoryResponse } from '../load/history.ts';
import type { Adjustment } from '../load/load.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

/** Checks that each response to a merchant about its operation agrees with the log. */
export function checkAcknowledged(
  { responses, story }: StoryRun,
  events: readonly StoredEvent[],
  find: Find,
): void {
  const state = fold(events.map(decodeOperationEvent));
  for (const answer of responses) {
    const missing = findMissingFact(answer, state);
    if (missing !== undefined) find(`the log has not ${missing}`, { answer, state });
  }
  if (state.phase === 'admitted' && state.request.amount !== story.amount)
    find('the log has an operation that nobody requested', { story, state });
}

/** The acknowledged fact that is missing; undefined if none is. */
function findMissingFact(
  { what, status, body }: StoryResponse,
  state: OperationState,
): string | undefined {
  const admitted = state.phase === 'admitted' ? state : undefined;
  if (what === 'create' && (status === 200 || status === 422) && !admitted)
    return 'a create that was answered';
  if (status !== 200) return undefined;
  if (what === 'confirm' && !admitted?.receipts.length) return 'a receipt that was taken';
  const shown = (what === 'cancel' ? body.operation : body)?.status as OperationStatus | undefined;
  if (shown === undefined || !isTerminal(shown)) return undefined;
  const end = state.phase === 'cancelled_first' ? 'cancelled' : admitted?.status;
  return shown === end ? undefined : `the end that an answer showed: ${shown}`;
}

/** Checks that each operator's adjustment is in the ledger, once. */
export function checkAdjusted(
  { shopId, currency, amount, id }: Adjustment,
  logOf: (stream: string) => readonly StoredEvent[],
  find: Find,
): void {
  const entries = logOf(ledgerStream(shopId, currency))
    .map(decodeLedgerEvent)
    .filter(({ data }) => data.kind === 'adjustment' && data.adjustment_id === id);
  if (entries.length !== 1)
    find(`the ledger has an adjustment ${entries.length} times`, { shopId, currency, amount, id });
}
