import { sql, type Kysely } from 'kysely';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { storableText } from '../rows/upsert.ts';
import type { OperationsDatabase } from './query.ts';
import type { OperationRow } from './table.ts';

export type ClientOperation = { operationId: string; ended: boolean };

/** Rows of the shop to scan at once: few enough for any statement timeout. */
const defaultRows = 5_000;

type Row = Pick<OperationRow, 'operation_id' | 'client_id' | 'status'> & { created: string };

/**
 * The operations of a shop's client, newest first. Scans all of the shop's operations, page by
 * page: the query is rare, and an index on clients would slow every create.
 * @throws when the database can't be queried
 */
export async function* listOperationsOfClient<DB>(
  db: Kysely<DB>,
  { shopId, clientId }: { shopId: string; clientId: string },
  rows = defaultRows,
): AsyncGenerator<ClientOperation[]> {
  const tables = db as unknown as Kysely<OperationsDatabase>;
  const client = storableText(clientId);
  let last: Row | undefined;
  do {
    let query = tables
      .selectFrom('gateway.operations')
      .select(['operation_id', 'client_id', 'status', sql<string>`created_at::text`.as('created')])
      .where('shop_id', '=', shopId);
    if (last) {
      const { created, operation_id } = last;
      query = query.where(
        sql<boolean>`(created_at, operation_id) < (${created}::timestamptz, ${operation_id}::uuid)`,
      );
    }
    const page: Row[] = await query
      .orderBy('created_at', 'desc')
      .orderBy('operation_id', 'desc')
      .limit(rows)
      .execute();
    const matching = page.filter(({ client_id }) => client_id === client);
    if (matching.length > 0)
      yield matching.map(({ operation_id, status }) => ({
        operationId: operation_id,
        ended: isTerminal(status),
      }));
    last = page.length === rows ? page.at(-1) : undefined;
  } while (last);
}
