import { sql, type Kysely, type RawBuilder } from 'kysely';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { storableText } from '../rows/upsert.ts';
import type { OperationCursor } from './query.ts';
import { withReturns, type ListedOperation } from './returned.ts';
import type { OperationRow } from './table.ts';

export type ShopFilter = {
  type?: (typeof operationTypes)[number] | undefined;
  status?: (typeof shownStatuses)[number] | undefined;
  merchantOperationId?: string | undefined;
  clientId?: string | undefined;
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
};

type ShopPage = {
  operations: ListedOperation[];
  /** Whether there are older ones. */
  more: boolean;
};

type Query = {
  shopId: string;
  filter: ShopFilter;
  after?: OperationCursor | undefined;
  limit: number;
};

/**
 * A shop's operations, newest first, by keyset. With a filter by type or status, each combination
 * of the two has its own query, which reads the index that begins with both. So rows of other
 * combinations are never scanned, however many there are.
 */
export async function listOperationsOfShop<DB>(db: Kysely<DB>, query: Query): Promise<ShopPage> {
  const { rows } = await pageQuery(query).execute(db);
  const operations = await withReturns(db, rows.slice(0, query.limit));
  return { operations, more: rows.length > query.limit };
}

export function pageQuery(query: Query): RawBuilder<OperationRow> {
  const { type, status, merchantOperationId } = query.filter;
  const byKind = type !== undefined || status !== undefined;
  return byKind && merchantOperationId === undefined ? ofEachKind(query) : newest(query);
}

/**
 * When the shop's oldest operation that is still being created was admitted, in epoch milliseconds:
 * until it is listed, it may still appear before newer ones. Call it before you read the list.
 */
export async function oldestCreating<DB>(
  db: Kysely<DB>,
  shopId: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ oldest: Date | null }>`
    select min(created_at) as oldest from gateway.operations
    where shop_id = ${shopId} and type = any(${operationTypes}) and status = 'creating'`.execute(
    db,
  );
  return rows[0]?.oldest?.getTime();
}

/** One more row than the page has. */
function newest({ shopId, filter, after, limit }: Query): RawBuilder<OperationRow> {
  const { type, status, merchantOperationId, createdFrom, createdBefore } = filter;
  const conditions = [...ofWhom({ shopId, filter }), sql`status <> 'creating'`];
  if (type !== undefined) conditions.push(sql`type = ${type}`);
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  // What the table holds of a text that PostgreSQL can't: see storableText.
  if (merchantOperationId !== undefined)
    conditions.push(sql`merchant_operation_id = ${storableText(merchantOperationId)}`);
  if (createdFrom !== undefined) conditions.push(sql`created_at >= ${createdFrom}`);
  if (createdBefore !== undefined) conditions.push(sql`created_at < ${createdBefore}`);
  if (after !== undefined)
    conditions.push(
      sql`(created_at, operation_id) < (${after.createdAt}::timestamptz, ${after.operationId}::uuid)`,
    );
  return sql`select * from gateway.operations where ${sql.join(conditions, sql` and `)}
    order by created_at desc, operation_id desc limit ${limit + 1}`;
}

function ofWhom({ shopId, filter }: Pick<Query, 'shopId' | 'filter'>): RawBuilder<unknown>[] {
  const ofShop = sql`shop_id = ${shopId}`;
  const { clientId } = filter;
  return clientId === undefined ? [ofShop] : [ofShop, sql`client_id = ${storableText(clientId)}`];
}

type Kind = { type: OperationRow['type']; status: OperationRow['status'] };

/**
 * The newest of one kind. Type and status are compared as the first columns of the order, not as
 * constants: only the index that begins with them has that order, so a wrong row estimate can't
 * lead the planner to another index.
 */
function newestOfKind(
  { shopId, filter, after, limit }: Query,
  { type, status }: Kind,
): RawBuilder<OperationRow> {
  const { createdFrom: from, createdBefore: to } = filter;
  const sortKey = sql`type, status, created_at, operation_id`;
  const conditions = [
    ...ofWhom({ shopId, filter }),
    ...(after
      ? [
          sql`(${sortKey}) < (${type}, ${status}, ${after.createdAt}::timestamptz, ${after.operationId}::uuid)`,
        ]
      : []),
    to
      ? sql`(type, status, created_at) < (${type}, ${status}, ${to}::timestamptz)`
      : sql`(type, status) <= (${type}, ${status})`,
    from
      ? sql`(type, status, created_at) >= (${type}, ${status}, ${from}::timestamptz)`
      : sql`(type, status) >= (${type}, ${status})`,
  ];
  return sql`select * from gateway.operations where ${sql.join(conditions, sql` and `)}
    order by type desc, status desc, created_at desc, operation_id desc limit ${limit + 1}`;
}

function ofEachKind(query: Query): RawBuilder<OperationRow> {
  const { filter, limit } = query;
  const types = filter.type === undefined ? operationTypes : [filter.type];
  const statuses = filter.status === undefined ? shownStatuses : [filter.status];
  const kinds = types.flatMap((type) => statuses.map((status) => ({ type, status })));
  const arms = kinds.map((kind) => sql`(${newestOfKind(query, kind)})`);
  return sql`select of_kind.* from (${sql.join(arms, sql` union all `)}) as of_kind
    order by of_kind.created_at desc, of_kind.operation_id desc limit ${limit + 1}`;
}
