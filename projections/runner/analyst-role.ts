import { sql, type Transaction } from 'kysely';
import type { Logger } from '#shared/platform/logging/logger.ts';

/**
 * May read every table in the read models' schema and no other; what else every login may do,
 * `limitReaders` revokes. It can't log in: grant it to a login role.
 */
export const analystRole = 'gateway_analyst';

/**
 * Lets analysts read, and makes their role if there is none. Without the right to do so it logs
 * how, and continues: a managed PostgreSQL may not let the gateway create roles.
 */
export async function grantToAnalysts<DB>(
  tx: Transaction<DB>,
  { schema, logger, role: name = analystRole }: { schema: string; logger: Logger; role?: string },
): Promise<void> {
  const role = sql.id(name);
  const made = await attempt(tx, async () => {
    const { rows } = await sql`select 1 from pg_roles where rolname = ${name}`.execute(tx);
    if (rows.length === 0) await sql`create role ${role} nologin`.execute(tx);
  });
  const granted = await attempt(tx, async () => {
    await sql`grant usage on schema ${sql.id(schema)} to ${role}`.execute(tx);
    await sql`grant select on all tables in schema ${sql.id(schema)} to ${role}`.execute(tx);
  });
  if (granted === undefined) return;
  logger.warn(
    { reason: (made ?? granted).message },
    `analysts have no access: create role ${name} nologin, then grant usage on schema ${schema} and select on all tables in schema ${schema} to it`,
  );
}

/** Another database on the same server may create the role at this moment: that error is fine. */
async function attempt<DB>(
  tx: Transaction<DB>,
  work: () => Promise<void>,
): Promise<Error | undefined> {
  await sql`savepoint analysts`.execute(tx);
  try {
    await work();
    await sql`release savepoint analysts`.execute(tx);
    return undefined;
  } catch (error) {
    await sql`rollback to savepoint analysts`.execute(tx);
    return error as Error;
  }
}
