import { sql, type Transaction } from 'kysely';

/**
 * Takes the locks by name (advisory locks) from everybody but those who own the gateway's tables. A
 * reader who took the name of one could hold up the processor or a rebuild, for as long as they
 * stay connected. Only a superuser can; others leave it to infra/deploy/postgres/roles.sql.
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
