import { sql, type Transaction } from 'kysely';
import type { Logger } from '#shared/platform/logging/logger.ts';

/**
 * May read every table in the schema of the read models and no other, and take no lock by name
 * (`keepLocksByName`). No login of its own: grant it to one.
 */
export const analystRole = 'gateway_analyst';

/**
 * Lets analysts read, and makes their role if there is none. Without the right to do so it says
 * how, and goes on: a managed PostgreSQL may not let the gateway create roles.
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

/**
 * Another database of the same server may make the role at this moment: that error is as good as
 * success.
 */
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
