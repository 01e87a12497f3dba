import type { Kysely } from 'kysely';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { createAsOf } from '../as-of.ts';
import { ledgerReadModel } from './read-model.ts';
import { currenciesOf, planStatement, type StatementPlan } from './statement.ts';

type StatementRequest = { shopId: string; currency?: string | undefined; from: Date; to: Date };

export type StatementPlans = {
  /**
   * A time in epoch milliseconds before which the tables are complete.
   * @throws Problem not_ready
   */
  asOf(): Promise<number>;
  /**
   * The plan of a statement.
   * @throws Problem not_ready until a checkpoint covers its end; invalid_request without a currency
   *   unless there is exactly one
   */
  plan(request: StatementRequest): Promise<StatementPlan>;
};

export function createStatementPlans<DB>({
  db,
  store,
}: {
  db: Kysely<DB>;
  store: EventStore;
}): StatementPlans {
  const read = createAsOf({ db, store, model: ledgerReadModel });
  const asOf = () =>
    read().catch((cause: unknown) => {
      throw new Problem('not_ready', { detail: 'the ledger can’t be read at the moment', cause });
    });
  return {
    asOf,
    plan: async ({ shopId, currency, from, to }) => {
      if ((await asOf()) < to.getTime()) throw notCovered();
      const named = currency ?? onlyOf(await fromDatabase(currenciesOf(db, shopId)));
      const plan = await fromDatabase(planStatement(db, { shopId, currency: named, from, to }));
      if (!plan) throw notCovered();
      return plan;
    },
  };
}

function onlyOf(currencies: readonly string[]): string {
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
    headers: { 'retry-after': '2' },
  });
