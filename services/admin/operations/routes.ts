import type { Hono } from 'hono';
import { z } from 'zod';
import { projectOperation } from '#projections/operations/project.ts';
import { decodeCursor, listOperations } from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import type { EventStore, StoredEvent } from '#shared/event-store/index.ts';
import { Problem } from '#shared/http/problems.ts';
import { evolveStored } from '#shared/operations/streams.ts';
import type { AdminEnv } from '../authentication.ts';
import { fromDatabase } from '../database.ts';
import type { Dependencies } from '../dependencies.ts';
import { invalidCursor, limitParameter, readQuery, shopIdParameter, textParameter } from '../query.ts';
import { fromStore } from '../store.ts';
import { maskNumbers } from './mask.ts';
import { viewForOperators } from './view.ts';

const statuses = [
  'creating',
  'pending',
  'awaiting_confirmation',
  'manual_check',
  'completed',
  'partially_completed',
  'declined',
  'expired',
  'cancelled',
] as const satisfies OperationRow['status'][];

const operationsQuery = z.strictObject({
  shop_id: shopIdParameter,
  status: z.enum(statuses).optional(),
  type: z.enum(['payment', 'payout']).optional(),
  merchant_operation_id: textParameter,
  cursor: z.string().max(400).optional(),
  limit: limitParameter,
});

export function registerOperations(app: Hono<AdminEnv>, { store, db }: Dependencies): void {
  app.get('/admin/v1/operations', async (c) => {
    const query = readQuery(c, operationsQuery);
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
    if (query.cursor !== undefined && !cursor) throw invalidCursor();
    const page = await fromDatabase(
      listOperations(db, {
        filter: {
          shopId: query.shop_id,
          status: query.status,
          type: query.type,
          merchantOperationId: query.merchant_operation_id,
        },
        cursor,
        limit: query.limit,
      }),
    );
    return c.json({ operations: page.operations.map(viewForOperators), next_cursor: page.nextCursor });
  });

  // From the log, and so never behind it.
  app.get('/admin/v1/operations/:operation_id', async (c) => {
    const events = await readEvents(store, c.req.param('operation_id'));
    const row = events.reduce<OperationRow | undefined>(projectOperation, undefined);
    const state = events.reduce<OperationState>(evolveStored, noOperation);
    if (!row || state.phase !== 'admitted') throw new Problem('operation_not_found');
    const { number, name, bankname, bankname_details } = viewOperation(state) ?? {};
    const requisites = { number, name, bankname, bankname_details };
    return c.json(maskNumbers({ ...viewForOperators(row), ...requisites, legs: state.legs }));
  });

  app.get('/admin/v1/operations/:operation_id/events', async (c) => {
    const events = await readEvents(store, c.req.param('operation_id'));
    return c.json({
      events: events.map(({ id, type, revision, created, data, metadata }) => ({
        event_id: id,
        type,
        revision,
        timestamp: created.toISOString(),
        data: maskNumbers(data),
        metadata,
      })),
    });
  });
}

/** All that the log has of an operation. @throws Problem operation_not_found; not_ready when it can't be read */
async function readEvents(store: EventStore, operationId: string): Promise<StoredEvent[]> {
  if (!z.guid().safeParse(operationId).success) throw new Problem('operation_not_found');
  const events = await fromStore(store.read(operationStream(operationId.toLowerCase())));
  if (events.length === 0) throw new Problem('operation_not_found');
  return events;
}
