import { escapeLiteral, type Client } from 'pg';
import { shellRole } from '#projections/psql/login.ts';
import { analystRole } from '#projections/runner/analyst-role.ts';
import { revokeFromReaders } from '#projections/runner/reader-limits.ts';

/**
 * The role of the services. It owns the gateway's database and may create roles, as analysts need
 * them; it is not a superuser, who could read files of the machine and run programs.
 */
export const servicesRole = 'gateway_services';

/** A statement that makes it, for the superuser of a cluster that has none. */
export const makeServicesRole = (password: string): string =>
  `create role ${servicesRole} login createrole password ${escapeLiteral(password)}`;

/**
 * Grants the role its rights in the gateway's database, if the client is a superuser. Objects that
 * an older version created as that superuser become the role's.
 */
export async function prepareServicesRole(client: Client, password: string): Promise<void> {
  await client.query('begin');
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [
    servicesRole,
  ]);
  await client.query(
    rowCount === 0
      ? makeServicesRole(password)
      : `alter role ${servicesRole} login createrole nosuperuser password ${escapeLiteral(password)}`,
  );
  await client.query(handOver);
  await client.query(revokeFromReaders);
  await client.query('commit');
}

const handOver = `do $$
declare
  owned text;
begin
  -- The shell of analysts is limited by it.
  grant set on parameter temp_file_limit to ${servicesRole};
  for owned in
    select format('schema %I', nspname) from pg_namespace
    where nspowner = current_user::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select format('table %I.%I', nspname, relname) from pg_class c join pg_namespace n on n.oid = relnamespace
    where relowner = current_user::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
      and (relkind in ('r', 'p', 'v', 'm') or relkind = 'S'
        -- That of a column goes with its table.
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')))
  loop
    execute format('alter %s owner to ${servicesRole}', owned);
  end loop;
  for owned in select rolname from pg_roles where rolname in ('${analystRole}', '${shellRole}') loop
    execute format('grant %I to ${servicesRole} with admin true, inherit false, set false', owned);
  end loop;
  execute format('alter database %I owner to ${servicesRole}', current_database());
end
$$`;
