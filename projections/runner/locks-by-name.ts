import { sql, type Transaction } from 'kysely';

/**
 * Lets only the owners of the gateway's tables take advisory locks. Otherwise a reader could take
 * the lock of the processor or a rebuild, and hold it up while connected. Only a superuser can
 * revoke this; others use infra/deploy/postgres/roles.sql.
 */
export async function keepLocksByName<DB>(tx: Transaction<DB>): Promise<void> {
  const { rows } = await sql<{ open: boolean }>`
    select rolsuper and exists (
      select from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) granted
      where p.oid = 'pg_advisory_lock(bigint)'::regprocedure and granted.grantee = 0
    ) as open from pg_roles where rolname = current_user`.execute(tx);
  if (rows[0]?.open !== true) return;
  await sql
    .raw(
      `do $$
      declare
        lock regprocedure;
        owner name;
      begin
        for lock in select oid from pg_proc
          where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_(try_)?advisory_'
        loop
          execute format('revoke execute on function %s from public', lock);
          for owner in select distinct pg_get_userbyid(nspowner) from pg_namespace
            where nspname in ('gateway', 'projections', 'webhooks', 'processor', 'console', 'portal')
          loop
            execute format('grant execute on function %s to %I', lock, owner);
          end loop;
        end loop;
      end
      $$`,
    )
    .execute(tx);
}
