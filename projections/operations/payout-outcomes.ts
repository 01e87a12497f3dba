import { sql } from 'kysely';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { postUnpostedEnds } from './post-ends.ts';
import type { OperationRow } from './table.ts';
import { mayLackEntry } from './unposted-ends.ts';

export type PayoutOutcome = Pick<
  OperationRow,
  'status' | 'decline_reason' | 'currency' | 'expected_amount' | 'actual_amount'
>;

/**
 * What became of a shop's payouts so far, by their ids; none of those that are still being created,
 * or that the read model lacks. The entries of their ends are posted (R12.12).
 * @throws Problem not_ready
 */
export async function readPayoutOutcomes<DB>(
  ports: Parameters<typeof postUnpostedEnds<DB>>[0],
  { shopId, operationIds }: { shopId: string; operationIds: readonly string[] },
): Promise<ReadonlyMap<string, PayoutOutcome>> {
  if (operationIds.length === 0) return new Map();
  const { rows } = await fromDatabase(
    sql<PayoutOutcome & { id: string; unposted: boolean }>`
      select o.operation_id::text as id, o.status, o.decline_reason, o.currency,
        o.expected_amount::text as expected_amount, o.actual_amount::text as actual_amount,
        ${mayLackEntry('o')} as unposted
      from gateway.operations o
      where o.operation_id = any(${operationIds}::uuid[]) and o.shop_id = ${shopId}
        and o.status <> 'creating'`.execute(ports.db),
  );
  await postUnpostedEnds(
    ports,
    rows.flatMap(({ id, unposted }) => (unposted ? id : [])),
  );
  return new Map(rows.map((row) => [row.id, row]));
}
