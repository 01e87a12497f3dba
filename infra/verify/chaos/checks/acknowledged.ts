import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { isTerminal, type OperationState, type Status } from '#shared/domain/operation/state.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Acted } from '../load/acted.ts';
import type { RecordedResponse } from '../load/history.ts';
import type { Adjusted } from '../load/load.ts';
import type { Find } from '#infra/verify/harness/finding.ts';

/** Checks that each response to a merchant about its operation agrees with the log. */
export function checkAcknowledged(
  { responses, story }: Acted,
  events: readonly StoredEvent[],
  find: Find,
): void {
  const state = fold(events.map(decodeOperationEvent));
  for (const answer of responses) {
    const missing = missingOf(answer, state);
    if (missing !== undefined) find(`the log has not ${missing}`, { answer, state });
  }
  if (state.phase === 'admitted' && state.request.amount !== story.amount)
    find('the log has an operation that nobody asked for', { story, state });
}

/** The acknowledged fact that is missing; undefined if none is. */
function missingOf(
  { what, status, body }: RecordedResponse,
  state: OperationState,
): string | undefined {
  const admitted = state.phase === 'admitted' ? state : undefined;
  if (what === 'create' && (status === 200 || status === 422) && !admitted)
    return 'a create that was answered';
  if (status !== 200) return undefined;
  if (what === 'confirm' && !admitted?.receipts.length) return 'a receipt that was taken';
  const shown = (what === 'cancel' ? body.operation : body)?.status as Status | undefined;
  if (shown === undefined || !isTerminal(shown)) return undefined;
  const end = state.phase === 'cancelled_first' ? 'cancelled' : admitted?.status;
  return shown === end ? undefined : `the end that an answer showed: ${shown}`;
}

/** Checks that each operator's adjustment is in the ledger, once. */
export function checkAdjusted(
  { shopId, currency, amount, id }: Adjusted,
  logOf: (stream: string) => readonly StoredEvent[],
  find: Find,
): void {
  const entries = logOf(ledgerStream(shopId, currency))
    .map(decodeLedgerEvent)
    .filter(({ data }) => data.kind === 'adjustment' && data.adjustment_id === id);
  if (entries.length !== 1)
    find(`the ledger has an adjustment ${entries.length} times`, { shopId, currency, amount, id });
}
