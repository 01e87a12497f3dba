import { sql, type Kysely } from 'kysely';
import { isTerminal } from '#shared/domain/operation/state.ts';
import { joinConditions, where } from '../conditions.ts';
import { storableText } from '../rows/upsert.ts';
import type { OperationRow } from './table.ts';

type ClientOperation = { operationId: string; ended: boolean };

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
  const client = storableText(clientId);
  let last: Row | undefined;
  do {
    const older = where(
      last,
      ({ created, operation_id }) =>
        sql`(created_at, operation_id) < (${created}::timestamptz, ${operation_id}::uuid)`,
    );
    const { rows: page }: { rows: Row[] } = await sql<Row>`
      select operation_id, client_id, status, created_at::text as created from gateway.operations
      where ${joinConditions([sql`shop_id = ${shopId}`, ...older])}
      order by created_at desc, operation_id desc limit ${rows}`.execute(db);
    const matching = page.filter(({ client_id }) => client_id === client);
    if (matching.length > 0)
      yield matching.map(({ operation_id, status }) => ({
        operationId: operation_id,
        ended: isTerminal(status),
      }));
    last = page.length === rows ? page.at(-1) : undefined;
  } while (last);
}
