import { sql, type Kysely, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { allOf, where } from '../conditions.ts';
import { cursorDecoder, encodeCursor } from '../cursor.ts';
import { storableText } from '../rows/upsert.ts';
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
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
  /** Only operations with returned money. */
  returned?: boolean | undefined;
  /** As merchants see the list: without operations that are still being created. */
  forMerchants?: boolean | undefined;
};

/** Where a page begins: after this operation, newest first. */
export type OperationCursor = { createdAt: string; operationId: string };

export type OperationPage = { operations: ListedOperation[]; nextCursor: string | null };

const maxPage = 200;

/**
 * Operations that match the filter, newest first, by keyset: pages stay the same while new ones
 * arrive.
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
  const conditions = [
    ...conditionsOf(filter),
    ...where(
      cursor,
      ({ createdAt, operationId }) =>
        sql`(created_at, operation_id) < (${createdAt}::timestamptz, ${operationId}::uuid)`,
    ),
  ];
  const { rows } = await sql<OperationRow>`
    select * from gateway.operations where ${allOf(conditions)}
    order by created_at desc, operation_id desc limit ${count + 1}`.execute(db);
  const operations = rows.slice(0, count);
  const last = operations.at(-1);
  const listed = await withReturns(db, operations);
  return {
    operations: listed,
    nextCursor:
      rows.length > count && last
        ? encodeCursor([last.created_at.toISOString(), last.operation_id])
        : null,
  };
}

/** The filter's conditions on a row. */
export function conditionsOf(filter: OperationFilter): RawBuilder<boolean>[] {
  const {
    shopId,
    merchantId,
    type,
    status,
    merchantOperationId,
    clientId,
    method,
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
    ...(filter.returned ? [hasReturns] : []),
    ...(filter.forMerchants ? [sql<boolean>`status <> 'creating'`] : []),
    ...(createdFrom === undefined ? [] : [sql<boolean>`created_at >= ${createdFrom}`]),
    ...(createdBefore === undefined ? [] : [sql<boolean>`created_at < ${createdBefore}`]),
  ];
}

/** The time in a cursor. ISO 8601 has a year 0; PostgreSQL does not. */
export const cursorTime = z.iso.datetime().refine((text) => text >= '1970');

export const decodeCursor = cursorDecoder(
  z
    .tuple([cursorTime, z.guid()])
    .transform(([createdAt, operationId]) => ({ createdAt, operationId })),
);
