import { z } from 'zod';
import { amountText } from '#shared/application/amount-text.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { bankName, isMethod, methodNames, methods } from '#shared/domain/methods/index.ts';
import {
  dailyLimit,
  hasDailyLimit,
  nothingUsed,
  routeKey,
  utcDay,
  type DailyUse,
} from '#shared/domain/daily-limits.ts';
import { judgeRoutes, whySkip, type RankedRoute, type Route } from '#shared/domain/routing.ts';
import { readDayUse } from '#projections/operations/day-use.ts';
import { Problem, type FieldError } from '#shared/platform/http/problems.ts';
import { validate, type ValidationOptions } from '#shared/platform/http/validate.ts';
import { queryParameters, validateQuery } from '#shared/platform/http/query.ts';
import type { AdminApp } from '../authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

const candidatesQuery = z.strictObject({
  type: z.enum(['payment', 'payout']),
  method: z.enum(methodNames),
  amount: amountText,
  currency: z.enum(currencies),
  bank: z.string().max(64).optional(),
});
export type CandidatesQuery = z.infer<typeof candidatesQuery>;

const rules: ValidationOptions = {
  codes: { method: 'method_unknown', amount: 'amount_invalid', currency: 'currency_unknown' },
  across: ({ method, currency, bank }) => {
    if (typeof method !== 'string' || !isMethod(method)) return [];
    const errors: FieldError[] = [];
    const expected = methods[method].currency;
    if (typeof currency === 'string' && currency !== expected)
      errors.push({
        pointer: '/currency',
        code: 'currency_method_mismatch',
        detail: `${method} is in ${expected}`,
      });
    if (typeof bank === 'string' && bank !== '' && bankName(method, bank) === undefined)
      errors.push({
        pointer: '/bank',
        code: 'field_invalid',
        detail: `${method} has no such bank`,
      });
    return errors;
  },
};

/** Parses a query that a form sent. @throws Problem invalid_request */
export const parseCandidatesQuery = (query: unknown): CandidatesQuery =>
  validate(candidatesQuery, query, rules);

/**
 * Which of a shop's routes a create would try now, in order, and why not the others.
 * @throws Problem not_found, not_ready
 */
export async function readCandidates(
  { store, directory, db }: Pick<AdminDependencies, 'store' | 'directory' | 'db'>,
  shopId: string,
  operation: CandidatesQuery,
): Promise<RankedRoute[]> {
  const [{ routes }, setup] = await Promise.all([
    readShop(store, shopId),
    fromStore(directory.providers('now')),
  ]);
  const limit = dailyLimit(await findUsedToday(db, { shopId, routes }), operation.amount);
  return judgeRoutes(routes, operation, whySkip({ ...setup, limit }));
}

/**
 * Today's use of a shop's routes; undefined while the read models are unavailable. Nothing is read
 * if no route has a daily limit.
 */
export async function findUsedToday(
  db: AdminDependencies['db'],
  { shopId, routes }: { shopId: string; routes: readonly Route[] },
): Promise<((route: Route) => DailyUse) | undefined> {
  if (!routes.some(hasDailyLimit)) return () => nothingUsed;
  const reading = fromDatabase(readDayUse(db, { shopId, day: utcDay(new Date().toISOString()) }));
  const dayUse = await reading.catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_ready') return undefined;
    throw error;
  });
  return dayUse && ((route) => dayUse.used.get(routeKey(route)) ?? nothingUsed);
}

export function registerCandidates(app: AdminApp, dependencies: AdminDependencies): void {
  app.get('/admin/v1/shops/:shop_id/route-candidates', async (c) => {
    const shopId = readPathId(c.req.param('shop_id'));
    const judged = await readCandidates(
      dependencies,
      shopId,
      validateQuery(queryParameters(c), candidatesQuery, rules),
    );
    const candidates = judged.filter(({ why }) => why === undefined);
    const others = judged.filter(({ why }) => why !== undefined);
    return c.json({
      candidates: candidates.map(({ route, order }) => ({ order, ...route })),
      others: others.map(({ route, why }) => ({ reason: why, ...route })),
    });
  });
}
