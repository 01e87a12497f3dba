import type { AdjustmentEvent, AdjustmentRequest } from './events.ts';

export type AdjustmentState =
  | { phase: 'none'; revision: -1 }
  | {
      phase: 'requested';
      revision: number;
      request: AdjustmentRequest;
      /** The log position of the request. */
      dueSince: bigint;
      /** The ledger revision of its entry, once that is recorded. */
      entryRevision?: number;
    };

export const noAdjustment: AdjustmentState = { phase: 'none', revision: -1 };

/** The adjustment after one more event, with its position in the log. */
export function evolveAdjustment(
  state: AdjustmentState,
  event: AdjustmentEvent,
  { position }: { position: bigint },
): AdjustmentState {
  const revision = state.revision + 1;
  if (event.type === 'AdjustmentRequested')
    return { phase: 'requested', revision, request: event.data, dueSince: position };
  if (state.phase === 'none')
    throw new Error(`an adjustment begins with its request, not with ${event.type}`);
  return { ...state, revision, entryRevision: event.data.revision };
}

export type AdjustmentDecision = { events: AdjustmentEvent[] } | { refusal: 'adjustment_conflict' };

/**
 * Claims the id for this request. A repeat adds no event; another request with the same id is
 * refused.
 */
export function requestAdjustment(
  state: AdjustmentState,
  request: AdjustmentRequest,
): AdjustmentDecision {
  if (state.phase === 'none') return { events: [{ type: 'AdjustmentRequested', data: request }] };
  const { currency, amount, reason } = state.request;
  const same =
    currency === request.currency && amount === request.amount && reason === request.reason;
  return same ? { events: [] } : { refusal: 'adjustment_conflict' };
}

/** Records the entry's revision, so that a repeat finds it without reading the ledger's history. */
export function notePosted(
  state: AdjustmentState,
  revision: number,
): { events: AdjustmentEvent[] } {
  if (state.phase === 'none' || state.entryRevision !== undefined) return { events: [] };
  return { events: [{ type: 'AdjustmentPosted', data: { revision } }] };
}
