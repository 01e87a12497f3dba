import type { Kysely } from 'kysely';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import {
  checkpointRequestStream,
  decodeCheckpointRequest,
} from '#shared/domain/ledger/checkpoints.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { createCompleteToReader, isInFuture } from '../as-of.ts';
import { ledgerReadModel } from './read-model.ts';
import { readLedgerCurrencies, findTree, planStatement, type StatementPlan } from './statement.ts';
import { isAhead } from './tree.ts';

type StatementRequest = {
  shopId: string;
  currency?: string | undefined;
  from: Date;
  to: Date;
  /** Requests no checkpoint. */
  readOnly?: boolean;
};

export type StatementPlans = {
  /**
   * A time in epoch milliseconds before which the tables are complete.
   * @throws Problem not_ready
   */
  asOf(): Promise<number>;
  /**
   * The currency of a shop's ledger.
   * @throws Problem invalid_request without a currency unless the shop has entries in exactly one
   */
  currency(shopId: string, requested: string | undefined): Promise<string>;
  /**
   * The plan of a statement.
   * @throws Problem not_ready until a checkpoint covers its end, which it requests if no new entry
   *   brings one about (one at a time, however often it is called), and while that checkpoint, or
   *   without one the newest entry, lies in the future; invalid_request as `currency`
   */
  plan(request: StatementRequest): Promise<StatementPlan>;
};

export function createStatementPlans<DB>(
  {
    db,
    store,
    service,
  }: {
    db: Kysely<DB>;
    store: EventStore;
    /** By which checkpoints are requested. */
    service: string;
  },
  now: () => number = Date.now,
): StatementPlans {
  const read = createCompleteToReader({ db, store, model: ledgerReadModel }, now);
  const readCompleteTo = () =>
    read().catch((cause: unknown) => {
      throw new Problem('not_ready', { detail: 'the ledger can’t be read at the moment', cause });
    });
  const currency = async (shopId: string, requested: string | undefined) =>
    requested ?? requireOneCurrency(await fromDatabase(readLedgerCurrencies(db, shopId)));
  const requestCheckpoint = async (
    ledger: { shopId: string; currency: string },
    { after, completeTo }: { after: number; completeTo: number },
  ) => {
    const stream = checkpointRequestStream(ledger.shopId, ledger.currency);
    const reading = store.read(stream, { direction: 'backwards', maxCount: 1 });
    const [newest] = await fromStore(reading);
    const requested = newest && Date.parse(decodeCheckpointRequest(newest).data.covers);
    // What is signed for a pending request covers all that is complete then. One that lies in the
    // future is none.
    if (requested !== undefined && requested > after && !isInFuture(new Date(requested), now()))
      return;
    const covers = new Date(completeTo).toISOString();
    const data = { shop_id: ledger.shopId, currency: ledger.currency, covers };
    const origin = { actor: `service:${service}`, correlationId: newId() };
    const event = toNewEvent({ type: 'CheckpointRequested', data }, origin);
    const expectedRevision = newest?.revision ?? NO_STREAM;
    // At a conflict another request came first: a caller that needs one repeats the statement.
    await fromStore(store.append({ stream, expectedRevision, events: [event] }));
  };
  return {
    asOf: readCompleteTo,
    currency,
    plan: async ({ shopId, from, to, readOnly = false, ...request }) => {
      const completeTo = await readCompleteTo();
      if (completeTo < to.getTime()) throw notCovered();
      const ledger = { shopId, currency: await currency(shopId, request.currency) };
      const tree = await fromDatabase(findTree(db, ledger));
      const size = tree?.size ?? 0;
      const plan = await fromDatabase(planStatement(db, { ...ledger, from, to, size }));
      // One of a period that was covered before stays as it is, whatever the newest entry's time.
      if (!('uncovered' in plan) && !isInFuture(plan.checkpoint.signed_at, now())) return plan;
      if (!('uncovered' in plan) || isAhead(tree, now())) throw inFuture();
      // Entries that are not signed yet bring a checkpoint about.
      if (!readOnly && plan.uncovered <= (tree?.signed_size ?? 0)) {
        const after = tree?.signed_at?.getTime() ?? -Infinity;
        await requestCheckpoint(ledger, { after, completeTo });
      }
      throw notCovered();
    },
  };
}

function requireOneCurrency(currencies: readonly string[]): string {
  const [only] = currencies;
  if (only !== undefined && currencies.length === 1) return only;
  const detail =
    only === undefined
      ? 'must be named, because the shop has no entries yet'
      : `must be one of ${currencies.join(', ')}, because the shop has entries in each`;
  throw new Problem('invalid_request', {
    errors: [{ pointer: '/currency', code: 'field_required', detail }],
  });
}

const notCovered = () =>
  new Problem('not_ready', {
    detail: 'no signed checkpoint covers the end of the period yet: retry in a moment',
    retryAfterMs: 2_000,
  });

/** Entries that follow get its time: a statement could lack what happened in its period. */
const inFuture = () =>
  new Problem('not_ready', {
    detail: 'the newest entry of the ledger lies in the future: no statement until then',
    retryAfterMs: 60_000,
  });
