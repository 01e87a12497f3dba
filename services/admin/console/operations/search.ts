import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import { listOperations } from '#projections/operations/query.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import type { AdminDatabase, AdminDb } from '../../database.ts';
import { readSnapshot } from '#shared/platform/database/read-snapshot.ts';

/** By which of its identifiers an operation was found. */
export type FoundBy =
  | 'operation_id'
  | 'merchant_operation_id'
  | 'client_id'
  | 'provider_reference'
  | 'leg_id'
  | 'receipt_id'
  | 'message_id'
  | 'entry_id';

export type Found = {
  operations: { row: OperationRow; by: FoundBy }[];
  /** A shop has this id. */
  shopId?: string;
  /** The scan of identifiers without an index was cut short: dates narrow it. */
  incomplete: boolean;
};

export type Dates = { from?: Date | undefined; before?: Date | undefined };

const shown = 50;

/**
 * Operations by whatever identifies one: ids of its own, and of what belongs to it. Exact, and of
 * any shop.
 */
export async function search(db: AdminDb, text: string, dates: Dates): Promise<Found | 'too_long'> {
  const indexed = await readSnapshot(db, (snapshot) => byIndex(snapshot, text));
  if (indexed === 'too_long') return indexed;
  // Ids are unique: once one matches, no scan is needed.
  const scanned =
    indexed.operations.length > 0 ? [] : await readSnapshot(db, (snapshot) => byScan(snapshot, text, dates));
  const operations = [...indexed.operations, ...(scanned === 'too_long' ? [] : scanned)];
  return { ...indexed, operations, incomplete: scanned === 'too_long' };
}

async function byIndex(db: Kysely<AdminDatabase>, text: string): Promise<Omit<Found, 'incomplete'>> {
  const found: Found['operations'] = [];
  const take = async (by: FoundBy, ids: readonly { operation_id: string | null }[]) => {
    const wanted = ids.flatMap(({ operation_id: id }) => id ?? []);
    found.push(...(await rowsOf(db, wanted)).map((row) => ({ row, by })));
  };
  let shopId: string | undefined;
  if (z.guid().safeParse(text).success) {
    const id = text.toLowerCase();
    await take('operation_id', [{ operation_id: id }]);
    const messages = sql<Id>`select operation_id from webhooks.message where message_id = ${id} and operation_id is not null`;
    await take('message_id', (await messages.execute(db)).rows);
    const entries = sql<Id>`select operation_id::text from gateway.suspense where entry_id = ${id}`;
    await take('entry_id', (await entries.execute(db)).rows);
    const shops = sql<{ shop_id: string }>`select shop_id from gateway.shops where shop_id = ${id}`;
    shopId = (await shops.execute(db)).rows[0]?.shop_id;
  }
  const own = await listOperations(db, { filter: { merchantOperationId: text }, limit: shown });
  found.push(...own.operations.map((row) => ({ row, by: 'merchant_operation_id' as const })));
  return { operations: found, ...(shopId !== undefined && { shopId }) };
}

type Id = { operation_id: string };

/** Through the rows of those dates, newest first: they have no index. */
async function byScan(
  db: Kysely<AdminDatabase>,
  text: string,
  { from, before }: Dates,
): Promise<Found['operations']> {
  const reference = JSON.stringify([{ provider_reference: text }]);
  const { rows } = await sql<Id & { by: FoundBy }>`
    select operation_id::text, case when client_id = ${text} then 'client_id' else 'provider_reference' end as by
    from gateway.operations
    where (client_id = ${text} or attempts @> ${reference}::jsonb)
      and created_at >= ${from ?? new Date(0)} and created_at < ${before ?? new Date('9999-01-01')}
    order by created_at desc limit ${shown}`.execute(db);
  const others = await sql<Id & { by: FoundBy }>`
    select operation_id::text, 'leg_id' as by from gateway.legs where leg_id = ${text}
    union select operation_id::text, 'receipt_id' from gateway.uploaded_receipts where receipt_id = ${text}
    limit ${shown}`.execute(db);
  const found = [...rows, ...others.rows];
  const whole = await rowsOf(
    db,
    found.map(({ operation_id: id }) => id),
  );
  return whole.map((row) => ({
    row,
    by: found.find(({ operation_id: id }) => id === row.operation_id)?.by ?? 'client_id',
  }));
}

async function rowsOf(db: Kysely<AdminDatabase>, ids: readonly string[]): Promise<OperationRow[]> {
  if (ids.length === 0) return [];
  return (db as unknown as Kysely<{ 'gateway.operations': OperationRow }>)
    .selectFrom('gateway.operations')
    .selectAll()
    .where('operation_id', 'in', [...new Set(ids)])
    .orderBy('created_at', 'desc')
    .execute();
}
