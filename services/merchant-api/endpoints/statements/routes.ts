import type { Context, Hono } from 'hono';
import type { Kysely } from 'kysely';
import { createAsOf } from '#projections/as-of.ts';
import { checkpointsJson } from '#projections/ledger/checkpoints.ts';
import { ledgerReadModel } from '#projections/ledger/read-model.ts';
import {
  currenciesOf,
  planStatement,
  statementJson,
  type StatementPlan,
} from '#projections/ledger/statement.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { queryOf } from '#shared/platform/http/query.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { createKeysReader } from './keys.ts';
import { readCheckpointsQuery, readStatementQuery } from './query.ts';

/** Statements of a shop's ledger that prove themselves, and what they are verified with (R25.1). */
export function registerStatements(
  app: Hono<MerchantEnv>,
  { db, exports, store }: Pick<Dependencies, 'db' | 'exports' | 'store'>,
): void {
  const plan = db && createPlan({ db, store });
  const keys = createKeysReader(store);
  const answer = async (
    c: Context<MerchantEnv>,
    text: (db: Kysely<unknown>) => AsyncGenerator<string, void, void>,
  ) => {
    if (!exports || !db) throw noStatements();
    const { merchantId: holder } = c.get('shop');
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    return c.body(await exports.startText(() => text(db), { holder }), 200, headers);
  };

  app.get(
    '/v1/statements',
    forScope('read', async (c) => {
      const query = readStatementQuery(queryOf(c), Date.now());
      if (!plan) throw noStatements();
      const planned = await plan({ ...query, shopId: c.get('shop').shopId });
      return answer(c, (from) => statementJson(from, planned));
    }),
  );

  app.get(
    '/v1/checkpoints',
    forScope('read', (c) => {
      const { from_size: fromSize } = readCheckpointsQuery(queryOf(c));
      const { shopId } = c.get('shop');
      return answer(c, (from) => checkpointsJson(from, { shopId, fromSize }));
    }),
  );

  app.get(
    '/v1/keys',
    forScope('read', async (c) => c.json({ keys: await keys() })),
  );
  // Whoever verifies a statement may have no API key.
  app.get('/.well-known/checkpoint-keys', async (c) => c.json({ keys: await keys() }));
}

type Asked = { shopId: string; currency?: string | undefined; from: Date; to: Date };

/**
 * Finds what a statement is made of.
 * @throws Problem not_ready until a checkpoint covers its end
 */
function createPlan({ db, store }: { db: Kysely<unknown>; store: Dependencies['store'] }) {
  const asOf = createAsOf({ db, store, model: ledgerReadModel });
  return async ({ shopId, currency, from, to }: Asked): Promise<StatementPlan> => {
    const known = await asOf().catch((cause: unknown) => {
      throw new Problem('not_ready', { detail: 'the ledger can’t be read at the moment', cause });
    });
    if (known < to.getTime()) throw notCovered();
    const named = currency ?? onlyOf(await fromDatabase(currenciesOf(db, shopId)));
    const plan = await fromDatabase(planStatement(db, { shopId, currency: named, from, to }));
    if (!plan) throw notCovered();
    return plan;
  };
}

/** @throws Problem invalid_request unless there is exactly one */
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
    detail: 'no signed checkpoint covers the end of the period yet',
    headers: { 'retry-after': '2' },
  });

const noStatements = () =>
  new Problem('not_ready', { detail: 'this instance does not serve statements' });
