import { sql, type Kysely, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { joinConditions, where } from '../conditions.ts';
import { cursorDecoder, encodeCursor } from '../cursor.ts';
import { storableText } from '../rows/upsert.ts';
import { isOverpaid } from './overpaid.ts';
import { hasReturns, withReturns, type ListedOperation } from './returned.ts';
import type { OperationRow } from './table.ts';

export type OperationFilter = {
  shopId?: string | undefined;
  merchantId?: string | undefined;
  type?: OperationRow['type'] | undefined;
  status?: OperationRow['status'] | undefined;
  merchantOperationId?: string | undefined;
  clientId?: string | undefined;
  method?: string | undefined;
  /** Only these, such as those that a search found. */
  operationIds?: readonly string[] | undefined;
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
  /** Only operations with returned money. */
  returned?: boolean | undefined;
  /** `overpaid`: only payments with much more money than expected. */
  attention?: 'overpaid' | undefined;
  /** As merchants see the list: without operations that are still being created. */
  forMerchants?: boolean | undefined;
};

/** Where a page begins, newest first: after this operation, or with `newer` before it. */
export type OperationCursor = { createdAt: string; operationId: string; newer?: boolean };

export type OperationPage = {
  operations: ListedOperation[];
  nextCursor: string | null;
  previousCursor: string | null;
};

const maxPage = 1_000;

/**
 * Operations that match the filter, newest first, by keyset: pages stay the same while new ones
 * arrive, and a previous page ends where the page after it begins.
 */
export async function listOperations<DB>(
  db: Kysely<DB>,
  {
    filter = {},
    cursor,
    limit,
  }: { filter?: OperationFilter; cursor?: OperationCursor | undefined; limit: number },
): Promise<OperationPage> {
  const count = Math.min(Math.max(1, limit), maxPage);
  const newer = cursor?.newer === true;
  const beyond = sql.raw(newer ? '>' : '<');
  const conditions = [
    ...filterConditions(filter),
    ...where(
      cursor,
      ({ createdAt, operationId }) =>
        sql`(created_at, operation_id) ${beyond} (${createdAt}::timestamptz, ${operationId}::uuid)`,
    ),
  ];
  const order = sql.raw(newer ? 'asc' : 'desc');
  const { rows } = await sql<OperationRow>`
    select * from gateway.operations where ${joinConditions(conditions)}
    order by created_at ${order}, operation_id ${order} limit ${count + 1}`.execute(db);
  const nearest = rows.slice(0, count);
  const more = rows.length > count;
  const operations = await withReturns(db, newer ? nearest.toReversed() : nearest);
  return {
    operations,
    nextCursor: newer || more ? cursorAt(operations.at(-1)) : null,
    previousCursor: cursor && (!newer || more) ? cursorAt(operations[0], 'newer') : null,
  };
}

function cursorAt(row: OperationRow | undefined, ...direction: 'newer'[]): string | null {
  return row ? encodeCursor([row.created_at.toISOString(), row.operation_id, ...direction]) : null;
}

/** The filter's conditions on a row. */
export function filterConditions(filter: OperationFilter): RawBuilder<boolean>[] {
  const {
    shopId,
    merchantId,
    type,
    status,
    merchantOperationId,
    clientId,
    method,
    operationIds,
    createdFrom,
    createdBefore,
  } = filter;
  const is = (column: keyof OperationRow, value: string | undefined) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(column)} = ${value}`];
  return [
    ...is('shop_id', shopId),
    ...is('merchant_id', merchantId),
    ...is('type', type),
    ...is('status', status),
    ...is('method', method),
    // What the table holds of a text that PostgreSQL can't: see storableText.
    ...is('merchant_operation_id', merchantOperationId && storableText(merchantOperationId)),
    ...is('client_id', clientId && storableText(clientId)),
    ...(operationIds ? [sql<boolean>`operation_id = any(${operationIds}::uuid[])`] : []),
    ...(filter.returned ? [hasReturns] : []),
    ...(filter.attention ? [isOverpaid()] : []),
    ...(filter.forMerchants ? [sql<boolean>`status <> 'creating'`] : []),
    ...(createdFrom === undefined ? [] : [sql<boolean>`created_at >= ${createdFrom}`]),
    ...(createdBefore === undefined ? [] : [sql<boolean>`created_at < ${createdBefore}`]),
  ];
}

/** The time in a cursor. ISO 8601 has a year 0; PostgreSQL does not. */
export const cursorTime = z.iso.datetime().refine((text) => text >= '1970');

export const decodeOperationCursor = cursorDecoder(
  z
    .tuple([cursorTime, z.guid()], z.literal('newer'))
    .refine((cursor) => cursor.length <= 3)
    .transform(([createdAt, operationId, newer]) => ({
      createdAt,
      operationId,
      ...(newer && { newer: true }),
    })),
);
