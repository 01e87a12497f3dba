import { sql, type Transaction } from 'kysely';

/**
 * Revokes rights that PostgreSQL gives every login and readers don't need: advisory locks, with
 * which one could hold up the processor or a rebuild, and temporary tables and large objects, which
 * fill the disk. Owners of the database and of the gateway's tables keep the locks. Only a
 * superuser can revoke this: this function if the gateway logs in as one, the embedded PostgreSQL
 * before the services start, otherwise infra/deploy/postgres/roles.sql.
 */
export async function limitReaders<DB>(tx: Transaction<DB>): Promise<void> {
  const { rows } = await sql<{ open: boolean }>`
    select rolsuper and (has_database_privilege('public', current_database(), 'temporary') or exists (
      select from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) granted
      where p.oid = any ('{pg_advisory_lock(bigint),lo_create(oid)}'::regprocedure[]) and granted.grantee = 0
    )) as open from pg_roles where rolname = current_user`.execute(tx);
  if (rows[0]?.open !== true) return;
  await sql.raw(revokeFromReaders).execute(tx);
}

/** For a superuser, in the gateway's database. */
export const revokeFromReaders = `do $$
declare
  revoked regprocedure;
  owner name;
begin
  execute format('revoke temporary on database %I from public', current_database());
  for revoked in select oid from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(lo_|loread$|lowrite$)'
  loop
    execute format('revoke execute on function %s from public', revoked);
  end loop;
  for revoked in select oid from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_(try_)?advisory_'
  loop
    execute format('revoke execute on function %s from public', revoked);
    for owner in select distinct pg_get_userbyid(nspowner) from pg_namespace
      where nspname in ('gateway', 'projections', 'webhooks', 'processor', 'console', 'portal')
      union select pg_get_userbyid(datdba) from pg_database where datname = current_database()
    loop
      execute format('grant execute on function %s to %I', revoked, owner);
    end loop;
  end loop;
end
$$`;
