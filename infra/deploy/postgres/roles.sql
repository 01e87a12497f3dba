-- A role of its own for each service: it owns its tables, reads what it needs of others', and no more. For an administrator,
-- in the gateway's database, before its first start; it may be run again. Then each role gets a password, as passwords.sql
-- has it, and each service a DATABASE_URL with its own role.

do $$
declare
  service text;
begin
  foreach service in array array['gateway_projections', 'gateway_webhooks', 'gateway_processor', 'gateway_admin', 'gateway_portal', 'gateway_audit', 'gateway_merchant_api']
  loop
    if not exists (select from pg_roles where rolname = service) then
      execute format('create role %I login nosuperuser nocreatedb nocreaterole noreplication', service);
    end if;
    execute format('grant connect on database %I to %I', current_database(), service);
  end loop;
  -- Reads the tables and views for people; nobody's login.
  if not exists (select from pg_roles where rolname = 'gateway_analyst') then
    create role gateway_analyst nologin;
  end if;
  execute format('revoke all on database %I from public', current_database());
  -- A rebuild makes its tables in schemas beside the one that people read.
  execute format('grant create on database %I to gateway_projections', current_database());
end
$$;

revoke create on schema public from public;

-- To make schemas for others one has to be of theirs for that moment.
do $$
begin
  execute format('grant gateway_projections, gateway_webhooks, gateway_processor, gateway_admin, gateway_portal to %I', current_user);
end
$$;

create schema if not exists gateway authorization gateway_projections;
create schema if not exists projections authorization gateway_projections;
create schema if not exists webhooks authorization gateway_webhooks;
create schema if not exists processor authorization gateway_processor;
create schema if not exists console authorization gateway_admin;
create schema if not exists admin authorization gateway_admin;
create schema if not exists portal authorization gateway_portal;

-- What one role for all has made before is handed over.
do $$
declare
  owned record;
begin
  for owned in
    select n.nspname as schema, c.relname as name, o.role
    from (values ('gateway', 'gateway_projections'), ('projections', 'gateway_projections'), ('webhooks', 'gateway_webhooks'),
      ('processor', 'gateway_processor'), ('console', 'gateway_admin'), ('admin', 'gateway_admin'),
      ('portal', 'gateway_portal')) as o (schema, role)
    join pg_namespace n on n.nspname = o.schema
    join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm')
    where pg_get_userbyid(c.relowner) <> o.role
  loop
    execute format('alter schema %I owner to %I', owned.schema, owned.role);
    execute format('alter table %I.%I owner to %I', owned.schema, owned.name, owned.role);
  end loop;
end
$$;

-- The admin API, the portal, the audit and the merchant API read the read models as analysts do, and how far they are.
grant gateway_analyst to gateway_admin, gateway_portal, gateway_audit, gateway_merchant_api;
grant usage on schema projections to gateway_admin, gateway_portal, gateway_audit, gateway_merchant_api;
alter default privileges for role gateway_projections in schema projections grant select on tables to gateway_admin, gateway_portal, gateway_audit, gateway_merchant_api;
grant select on all tables in schema projections to gateway_admin, gateway_portal, gateway_audit, gateway_merchant_api;

-- The admin API queues webhooks again and sends pings: it adds and changes messages, and deletes none.
-- The merchant API exports deliveries.
grant usage on schema webhooks to gateway_admin, gateway_portal, gateway_audit, gateway_merchant_api;
alter default privileges for role gateway_webhooks in schema webhooks grant select on tables to gateway_admin, gateway_audit, gateway_merchant_api;
alter default privileges for role gateway_webhooks in schema webhooks grant insert, update on tables to gateway_admin;
grant select on all tables in schema webhooks to gateway_admin, gateway_audit, gateway_merchant_api;
grant insert, update on all tables in schema webhooks to gateway_admin;

-- The portal shows messages and attempts, adds pings, and changes of a message only when it is sent: not what it says, to whom,
-- or how far the relay is. The tables of a new deployment are not there yet: the webhook service grants the same when it makes
-- them (shared/application/webhooks/database/portal-grants.ts). What older versions of this file granted is taken back.
alter default privileges for role gateway_webhooks in schema webhooks revoke all on tables from gateway_portal;
revoke all on all tables in schema webhooks from gateway_portal;
do $$
begin
  if to_regclass('webhooks.message') is not null then
    grant select on webhooks.message, webhooks.attempt to gateway_portal;
    grant insert (message_id, shop_id, operation_id, sequence, type, body, occurred_at, traceparent, due_at, claim_token, lease_until),
      update (status, finished_at, hold_until, nudged, round_start, due_at) on webhooks.message to gateway_portal;
    -- An older version's table does not have these yet.
    if exists (select from information_schema.columns
               where table_schema = 'webhooks' and table_name = 'message' and column_name = 'event_id') then
      grant insert (event_id, other_endpoint_id) on webhooks.message to gateway_portal;
    end if;
  end if;
end
$$;

-- Views for people show how webhooks are delivered.
grant usage on schema webhooks to gateway_projections;
alter default privileges for role gateway_webhooks in schema webhooks grant select on tables to gateway_projections;
grant select on all tables in schema webhooks to gateway_projections;

-- Large objects fill the disk, and nothing uses them. So would temporary tables, which `revoke all on database` has ended.
do $$
declare
  large_object regprocedure;
begin
  for large_object in
    select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^(lo_|loread$|lowrite$)'
  loop
    execute format('revoke execute on function %s from public', large_object);
  end loop;
end
$$;

-- Locks by name (advisory locks) are for those who own tables: whoever else took the name of one could hold up the processor
-- or a rebuild. Where the administrator is no superuser PostgreSQL warns, and they stay everybody's.
do $$
declare
  lock regprocedure;
begin
  for lock in
    select oid from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ '^pg_(try_)?advisory_'
  loop
    execute format('revoke execute on function %s from public', lock);
    execute format('grant execute on function %s to gateway_projections, gateway_webhooks, gateway_processor, gateway_admin, gateway_portal', lock);
  end loop;
end
$$;
