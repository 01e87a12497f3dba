import { createHmac } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { analystRole } from '../runner/analyst-role.ts';

/**
 * Limits of one shell: a question that no reader waits for must not fill the disk either.
 * Only a superuser, or a role that was granted it, can set `temp_file_limit`.
 */
const limits = { statement_timeout: '10min', temp_file_limit: '10GB' };

/** The login role for `npm run psql`, with the rights of analysts. */
export const shellRole = `${analystRole}_shell`;

/**
 * Makes the shell's login role and returns a connection URL. Its password is derived from the one
 * in the gateway's own URL, so that concurrent shells have the same.
 * @throws a one-line error with the remedy if the gateway may not make roles or there is
 * nothing to read
 */
export async function analystUrl(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  if (url.password === '')
    throw new Error(`DATABASE_URL has no password to make one of. ${byHand}`);
  const password = createHmac('sha256', decodeURIComponent(url.password))
    .update(shellRole)
    .digest('base64url');
  const client = new Client({ connectionString: databaseUrl, application_name: 'gateway-psql' });
  await client.connect();
  try {
    await makeRole(client, password);
  } finally {
    await client.end();
  }
  url.username = shellRole;
  url.password = password;
  return url.href;
}

async function makeRole(client: Client, password: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any($1)',
    [[analystRole, shellRole]],
  );
  const has = (name: string) => rows.some((row) => row.name === name);
  if (!has(analystRole))
    throw new Error('There is nothing to read yet: start the gateway once, and retry.');
  const role = escapeIdentifier(shellRole);
  try {
    // If two shells open at once, one of them waits.
    await client.query(
      `begin; select pg_advisory_xact_lock(hashtextextended('projections: analysts', 0))`,
    );
    if (!has(shellRole)) {
      await client.query(
        `do $$ begin create role ${role} in role ${escapeIdentifier(analystRole)};
        exception when duplicate_object then null; end $$`,
      );
    }
    await client.query(`alter role ${role} login password ${escapeLiteral(password)}`);
    for (const [name, limit] of Object.entries(limits))
      await client.query(
        `do $$ begin alter role ${role} set ${name} = ${escapeLiteral(limit)};
        exception when insufficient_privilege then null; end $$`,
      );
    await client.query('commit');
  } catch (error) {
    throw new Error(`No login can be made: ${(error as Error).message}. ${byHand}`, {
      cause: error,
    });
  }
}

const byHand = `Have an administrator run: create role anna login password '…' in role ${analystRole}, and log in as her.`;
