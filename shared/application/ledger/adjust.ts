import {
  evolveAdjustment,
  noAdjustment,
  notePosted,
  requestAdjustment,
  type AdjustmentDecision,
  type AdjustmentState,
} from '#shared/domain/adjustment/adjustment.ts';
import {
  adjustmentStreamPrefix,
  decodeAdjustmentEvent,
  type AdjustmentEvent,
  type AdjustmentRequest,
} from '#shared/domain/adjustment/events.ts';
import type { EventStore, StreamFold, StoredEvent } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { hashBody } from '#shared/platform/ids.ts';
import { LedgerInconsistent } from '#shared/application/ledger/memory.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { decideAndAppend } from '#shared/application/commands/decide-and-append.ts';
import { continuedFrom, type Origin } from '#shared/application/commands/origin.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';

type Stores = { store: EventStore; ledgers: Ledgers };

/** The stream of a shop's adjustment id: a hash, because the id may be any text. */
export function adjustmentStream(shopId: string, adjustmentId: string): string {
  return `${adjustmentStreamPrefix}${hashBody([shopId, adjustmentId])}`;
}

/**
 * Posts an adjustment once: appends the request under its id, then the ledger entry, then a note of
 * the entry. A repeat continues where an earlier try stopped, in the name of its operator.
 * @returns the entry's revision
 * @throws Problem adjustment_conflict, accounting_inconsistent; not_ready when the same command
 * should be retried
 */
export async function adjust(
  { store, ledgers }: Stores,
  request: AdjustmentRequest,
  origin: Origin,
): Promise<{ revision: number; repeated: boolean }> {
  const stream = adjustmentStream(request.shop_id, request.adjustment_id);
  let first: StoredEvent | undefined;
  const folding: typeof adjustments = {
    ...adjustments,
    evolve: (state, event, stored) => {
      first ??= stored;
      return adjustments.evolve(state, event, stored);
    },
  };
  const change = async (
    state: AdjustmentState,
    decide: (state: AdjustmentState) => AdjustmentDecision,
    by = origin,
  ) => {
    const recordedState = state.phase === 'none' ? undefined : state;
    const result = await decideAndAppend(
      { store, stream, folding, fromState: recordedState, origin: by },
      decide,
    );
    if (result.outcome === 'undecided') throw notDecided(result.cause);
    if (result.outcome === 'refused') throw new Problem(result.refusal);
    return result.state;
  };

  const requested = await change(noAdjustment, (state) => requestAdjustment(state, request));
  if (requested.phase === 'none' || !first) throw new Error('an adjustment without its request');
  const { entryRevision, dueSince } = requested;
  const { request_id: requestId } = first.metadata;
  const requester = { ...continuedFrom(first), ...(requestId !== undefined && { requestId }) };
  if (entryRevision !== undefined) return { revision: entryRevision, repeated: true };
  const { shop_id: shopId, adjustment_id: adjustmentId, currency, amount, reason } = request;
  const posted = await ledgers
    .post({
      kind: 'adjustment',
      shopId,
      currency,
      adjustmentId,
      amount,
      reason,
      dueSince,
      why: { cause: 'AdjustmentRequested' },
      origin: requester,
    })
    .catch((cause: unknown) => {
      if (cause instanceof LedgerInconsistent)
        throw new Problem('accounting_inconsistent', { cause });
      throw cause;
    });
  if (posted.outcome === 'undecided') throw notDecided(posted.cause);
  if (posted.outcome === 'refused') throw new Problem('adjustment_conflict');
  const { revision, repeated } = posted;
  await change(requested, (state) => notePosted(state, revision), requester);
  return { revision, repeated };
}

const adjustments: StreamFold<AdjustmentState, AdjustmentEvent> = {
  initial: noAdjustment,
  decode: decodeAdjustmentEvent,
  evolve: evolveAdjustment,
};
