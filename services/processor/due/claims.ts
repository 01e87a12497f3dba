import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { DueTable, ProcessorDatabase } from './tables.ts';

type Db = Kysely<ProcessorDatabase>;

/** An operation that this process looks at; others leave it alone until the lease is over. */
export type Claim = {
  operationId: string;
  token: string;
  heardAt: Date;
  revision: number;
  asks: number;
  tries: number;
};

/** Claims what is due, the longest overdue first. The lease ends unless it is renewed. */
export async function claimDue(
  db: Db,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Claim[]> {
  const token = randomUUID();
  const { rows } = await sql<Pick<DueTable, 'operation_id' | 'heard_at' | 'revision' | 'asks' | 'tries'>>`
    update processor.due set lease_token = ${token}, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where operation_id in (
      select operation_id from processor.due
      where due_at <= now() and (lease_until is null or lease_until < now())
      order by due_at
      limit ${limit}
      for update skip locked
    )
    returning operation_id, heard_at, revision, asks, tries`.execute(db);
  return rows.map(({ operation_id, heard_at, ...row }) => ({
    operationId: operation_id,
    token,
    heardAt: heard_at,
    ...row,
  }));
}

/** Puts the end of leases off. A row that somebody else writes at this moment is left for the next time. */
export async function renew(db: Db, claims: readonly Claim[], leaseMs: number): Promise<void> {
  // Waiting for locks on several rows could end in a deadlock with the feed, which takes them in its own order.
  await sql`
    update processor.due set lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where operation_id in (
      select operation_id from processor.due
      where operation_id = any(${claims.map(({ operationId }) => operationId)})
        and lease_token = any(${claims.map(({ token }) => token)}::uuid[])
      for update skip locked
    )`.execute(db);
}

/** When to look again, and what was learnt; nothing: the operation is owed nothing more. */
export type Verdict = {
  revision: number;
  next?: { dueAt: Date; heardAt: Date; asks: number; tries: number; error?: string | undefined };
};

/** Gives a claim back. Where the log brought news meanwhile, they count, and only the lease ends. */
export async function release(db: Db, claim: Claim, { revision, next }: Verdict): Promise<void> {
  const mine = sql`operation_id = ${claim.operationId} and lease_token = ${claim.token}`;
  const settled = next
    ? sql`update processor.due set due_at = ${next.dueAt}, heard_at = ${next.heardAt}, asks = ${next.asks},
            tries = ${next.tries}, revision = ${revision}, last_error = ${next.error ?? null},
            lease_token = null, lease_until = null
          where ${mine} and revision <= ${revision}`
    : sql`delete from processor.due where ${mine} and revision <= ${revision}`;
  const { numAffectedRows } = await settled.execute(db);
  if (numAffectedRows === 0n)
    await sql`update processor.due set lease_token = null, lease_until = null where ${mine}`.execute(db);
}

/** How many operations wait for a look that is due. */
export async function overdueCount(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from processor.due where due_at <= now()`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
