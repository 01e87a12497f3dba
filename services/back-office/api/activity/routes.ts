import { z } from 'zod';
import {
  activityKinds,
  decodeActivityCursor,
  listActivity,
  type ActivityFilter,
  type ActivityRow,
} from '#projections/operators/activity.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import type { AdminApp } from '../authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { limitParameter, readCursor, readQuery, shopIdParameter, textParameter } from '../query.ts';

/** The list's filter. */
export const activityFilter = z.strictObject({
  operator: textParameter,
  kind: z.enum(activityKinds).optional(),
  shop_id: shopIdParameter,
  done_from: timeParameter.optional(),
  done_to: timeParameter.optional(),
});

const activityQuery = activityFilter.extend({
  cursor: z.string().max(400).optional(),
  limit: limitParameter,
});

export const toActivityFilter = (query: z.infer<typeof activityFilter>): ActivityFilter => ({
  operator: query.operator,
  kind: query.kind,
  shopId: query.shop_id,
  from: query.done_from,
  before: query.done_to,
});

/** GET /admin/v1/activity: operators' actions, newest first. */
export function registerActivity(app: AdminApp, { db }: Pick<AdminDependencies, 'db'>): void {
  app.get('/admin/v1/activity', async (c) => {
    const { cursor: text, limit, ...query } = readQuery(c, activityQuery);
    const cursor = readCursor(text, decodeActivityCursor);
    const page = await fromDatabase(
      listActivity(db, { filter: toActivityFilter(query), cursor, limit }),
    );
    return c.json({ actions: page.actions.map(viewActivity), next_cursor: page.nextCursor });
  });
}

const viewActivity = (row: ActivityRow) => ({
  done_at: row.done_at.toISOString(),
  operator: row.actor.replace(/^operator:/, ''),
  token_id: row.token_id,
  kind: row.action,
  outcome: row.outcome,
  merchant_id: row.merchant_id,
  shop_id: row.shop_id,
  operation_id: row.operation_id,
  subject: row.subject,
  amount: row.amount,
  currency: row.currency,
});
