import { z } from 'zod';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import {
  decodeOperationCursor,
  listOperations,
  type OperationFilter,
} from '#projections/operations/query.ts';
import { methodNames } from '#shared/domain/methods/index.ts';
import { timeParameter } from '#shared/platform/http/time-parameter.ts';
import type { AdminApp } from '../authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { limitParameter, readCursor, readQuery, shopIdParameter, textParameter } from '../query.ts';
import { shownData } from './mask.ts';
import { findMethod, readLateEvents, readOpened, shownMetadata, showOperation } from './read.ts';
import { viewForOperators } from './view.ts';

const statuses = ['creating', ...shownStatuses] as const;

/** The list's filter. */
export const operationsFilter = z.strictObject({
  shop_id: shopIdParameter,
  status: z.enum(statuses).optional(),
  type: z.enum(operationTypes).optional(),
  method: z.enum(methodNames).optional(),
  merchant_operation_id: textParameter,
  attention: z.enum(['overpaid']).optional(),
  created_from: timeParameter.optional(),
  created_to: timeParameter.optional(),
});

const operationsQuery = operationsFilter.extend({
  cursor: z.string().max(400).optional(),
  limit: limitParameter,
});

export const toFilter = (query: z.infer<typeof operationsFilter>): OperationFilter => ({
  shopId: query.shop_id,
  status: query.status,
  type: query.type,
  method: query.method,
  merchantOperationId: query.merchant_operation_id,
  attention: query.attention,
  createdFrom: query.created_from,
  createdBefore: query.created_to,
});

export function registerOperations(app: AdminApp, dependencies: AdminDependencies): void {
  const { store, db, personal, accessLog } = dependencies;
  app.get('/admin/v1/operations', async (c) => {
    const query = readQuery(c, operationsQuery);
    const cursor = readCursor(query.cursor, decodeOperationCursor);
    const page = await fromDatabase(
      listOperations(db, { filter: toFilter(query), cursor, limit: query.limit }),
    );
    const opened = await fromStore(
      Promise.all(page.operations.map((row) => personal.openFields(row.operation_id, row))),
    );
    const operator = c.get('operator');
    return c.json({
      operations: page.operations.map((row, index) => {
        const fields = opened[index] ?? {};
        if (Object.keys(fields).length === 0) return viewForOperators(row);
        accessLog.saw(operator, { operationId: row.operation_id, shown: 'operation' });
        return { ...viewForOperators(row), ...fields };
      }),
      next_cursor: page.nextCursor,
    });
  });

  // From the log, so it is never stale.
  app.get('/admin/v1/operations/:operation_id', async (c) => {
    return c.json(
      showOperation(
        await readOpened(dependencies, c.req.param('operation_id'), {
          operator: c.get('operator'),
        }),
      ),
    );
  });

  app.get('/admin/v1/operations/:operation_id/events', async (c) => {
    const operationId = c.req.param('operation_id');
    // Late facts have their own stream and revisions; they are merged by log position.
    const own = await readOpened(dependencies, operationId, {
      operator: c.get('operator'),
      shown: 'events',
    });
    const events = [...own, ...(await readLateEvents(store, operationId))];
    const method = findMethod(own);
    events.sort((left, right) => (left.position < right.position ? -1 : 1));
    return c.json({
      events: events.map(({ id, type, revision, created, data, metadata }) => ({
        event_id: id,
        type,
        revision,
        timestamp: created.toISOString(),
        data: shownData(data, method),
        metadata: shownMetadata(metadata),
      })),
    });
  });
}
