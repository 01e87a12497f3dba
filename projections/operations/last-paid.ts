import { sql, type Kysely } from 'kysely';

/** The newest payout to each of a shop's clients with which money has moved, by client. */
export async function findLastPaid<DB>(
  db: Kysely<DB>,
  { shopId, clientIds }: { shopId: string; clientIds: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  if (clientIds.length === 0) return new Map();
  const { rows } = await sql<{ client: string; id: string }>`
    select asked.client, newest.operation_id::text as id
    from unnest(${[...new Set(clientIds)]}::text[]) as asked (client)
    cross join lateral (
      select o.operation_id from gateway.operations o
      where o.shop_id = ${shopId} and o.client_id = asked.client and o.type = 'payout'
        and o.status in ('completed', 'partially_completed')
      order by o.created_at desc, o.operation_id desc limit 1
    ) newest`.execute(db);
  return new Map(rows.map(({ client, id }) => [client, id]));
}
