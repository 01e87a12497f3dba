import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { storableText } from '../runner/upsert.ts';
import type { OperationRow } from './table.ts';

/** The tables that these queries read; see `docs/analysts/read-models.md`. */
export type OperationsDatabase = { 'gateway.operations': OperationRow };

export type OperationFilter = {
  shopId?: string | undefined;
  merchantId?: string | undefined;
  type?: OperationRow['type'] | undefined;
  status?: OperationRow['status'] | undefined;
  merchantOperationId?: string | undefined;
  method?: string | undefined;
  createdFrom?: Date | undefined;
  /** Excluded. */
  createdBefore?: Date | undefined;
};

/** Where a page begins: after this operation, newest first. */
export type OperationCursor = { createdAt: string; operationId: string };

export type OperationPage = { operations: OperationRow[]; nextCursor: string | null };

export const maxPage = 200;

/** Operations that match all that is given, newest first, by keyset: pages stay the same while new ones come. */
export async function listOperations<DB>(
  db: Kysely<DB>,
  {
    filter = {},
    cursor,
    limit,
  }: { filter?: OperationFilter; cursor?: OperationCursor | undefined; limit: number },
): Promise<OperationPage> {
  const count = Math.min(Math.max(1, limit), maxPage);
  let query = typed(db).selectFrom('gateway.operations').selectAll();
  const { shopId, merchantId, type, status, merchantOperationId, method, createdFrom, createdBefore } =
    filter;
  if (shopId !== undefined) query = query.where('shop_id', '=', shopId);
  if (merchantId !== undefined) query = query.where('merchant_id', '=', merchantId);
  if (type !== undefined) query = query.where('type', '=', type);
  if (status !== undefined) query = query.where('status', '=', status);
  if (method !== undefined) query = query.where('method', '=', method);
  if (createdFrom !== undefined) query = query.where('created_at', '>=', createdFrom);
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore);
  if (merchantOperationId !== undefined) {
    // What the table holds of a text that PostgreSQL can't: see storableText.
    query = query.where('merchant_operation_id', '=', storableText(merchantOperationId));
  }
  if (cursor) {
    query = query.where(
      sql<boolean>`(created_at, operation_id) < (${cursor.createdAt}::timestamptz, ${cursor.operationId}::uuid)`,
    );
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('operation_id', 'desc')
    .limit(count + 1)
    .execute();
  const operations = rows.slice(0, count);
  const last = operations.at(-1);
  return { operations, nextCursor: rows.length > count && last ? encodeCursor(last) : null };
}

export async function findOperation<DB>(
  db: Kysely<DB>,
  operationId: string,
): Promise<OperationRow | undefined> {
  if (!z.guid().safeParse(operationId).success) return undefined;
  return typed(db)
    .selectFrom('gateway.operations')
    .selectAll()
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
}

/** The time in a cursor. ISO 8601 has a year 0; PostgreSQL has none. */
export const cursorTime = z.iso.datetime().refine((text) => text >= '1970');
const cursorSchema = z.tuple([cursorTime, z.guid()]);

function encodeCursor({ created_at, operation_id }: OperationRow): string {
  return Buffer.from(JSON.stringify([created_at.toISOString(), operation_id])).toString('base64url');
}

/** The cursor that an earlier page ended with; undefined if the text is none. */
export function decodeCursor(text: string): OperationCursor | undefined {
  try {
    const [createdAt, operationId] = cursorSchema.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString('utf8')),
    );
    return { createdAt, operationId };
  } catch {
    return undefined;
  }
}

const typed = <DB>(db: Kysely<DB>) => db as unknown as Kysely<OperationsDatabase>;
