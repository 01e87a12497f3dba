import type { Context, Hono } from 'hono';
import { merchantStatementCsv } from '#projections/csv/merchant-statement.ts';
import { checkpointsJson } from '#projections/ledger/checkpoints.ts';
import { statementJson } from '#projections/ledger/statement.ts';
import { createStatementPlans } from '#projections/ledger/statement-plans.ts';
import { answerCsv } from '#shared/platform/csv/answer.ts';
import type { Exports } from '#shared/platform/csv/exports.ts';
import { createConcurrencyLimit } from '#shared/platform/http/limit-concurrency.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { queryParameters } from '#shared/platform/http/query.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { createKeysReader } from './keys.ts';
import { readCheckpointsQuery, readStatementQuery } from './query.ts';

/**
 * Plans of one merchant's statements: each holds one connection at a time, of twice as many as
 * these may hold.
 */
export const maxPlans = { running: 2, queued: 32 } as const;

/** Provable statements of a shop's ledger, and the keys that verify them (R25.1). */
export function registerMerchantStatements(
  app: Hono<MerchantEnv>,
  {
    exports,
    statementsDb: db,
    store,
  }: Pick<MerchantDependencies, 'exports' | 'statementsDb' | 'store'>,
): void {
  const plans = db && createStatementPlans({ db, store, service: 'merchant-api' });
  const inTurn = createConcurrencyLimit(maxPlans);
  const keys = createKeysReader(store);
  const answer = async (
    c: Context<MerchantEnv>,
    text: (db: Exports['db']) => AsyncGenerator<string, void, void>,
  ) => {
    if (!exports) throw noStatements();
    const { merchantId: holder } = c.get('shop');
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    return c.body(await exports.startText(() => text(exports.db), { holder }), 200, headers);
  };

  const plan = (c: Context<MerchantEnv>) => {
    const query = readStatementQuery(queryParameters(c), Date.now());
    if (!plans) throw noStatements();
    const { shopId, merchantId } = c.get('shop');
    const readOnly = c.req.method === 'HEAD';
    return inTurn(merchantId, () => plans.plan({ ...query, shopId, readOnly }));
  };

  app.get(
    '/v1/statements',
    forScope('read', async (c) => {
      const planned = await plan(c);
      return answer(c, (from) => statementJson(from, planned));
    }),
  );

  app.get(
    '/v1/statements.csv',
    forScope('read', async (c) => {
      const query = merchantStatementCsv(await plan(c));
      if (!exports) throw noStatements();
      const { merchantId: holder } = c.get('shop');
      const file = { list: 'statement', query, zone: 'UTC', forPeople: false, holder };
      return answerCsv(c, exports, file);
    }),
  );

  app.get(
    '/v1/checkpoints',
    forScope('read', async (c) => {
      const query = readCheckpointsQuery(queryParameters(c));
      if (!plans) throw noStatements();
      const { shopId, merchantId } = c.get('shop');
      const currency = await inTurn(merchantId, () => plans.currency(shopId, query.currency));
      const request = { shopId, currency, fromSize: query.from_size };
      return answer(c, (from) => checkpointsJson(from, request));
    }),
  );

  app.get(
    '/v1/keys',
    forScope('read', async (c) => c.json({ keys: await keys() })),
  );
  // A verifier of a statement may have no API key.
  app.get('/.well-known/checkpoint-keys', async (c) => c.json({ keys: await keys() }));
}

const noStatements = () =>
  new Problem('not_ready', { detail: 'this instance does not serve statements' });
