import { sql, type Kysely } from 'kysely';

/**
 * The rights of the portal's role, if it exists: to show messages and attempts, add pings, and
 * queue a message again. Grants by column need the tables, so that infra/deploy/postgres/roles.sql,
 * which has the same for existing tables, can't give them in a new database.
 */
export const portalGrants = {
  up: async (db: Kysely<unknown>) => {
    const { rows } = await sql`select 1 from pg_roles where rolname = 'gateway_portal'`.execute(db);
    if (rows.length === 0) return;
    await sql`revoke all on all tables in schema webhooks from gateway_portal`.execute(db);
    await sql`grant select on webhooks.message, webhooks.attempt to gateway_portal`.execute(db);
    await sql`
      grant insert (message_id, shop_id, operation_id, sequence, type, body, occurred_at, traceparent,
          due_at, claim_token, lease_until),
        update (status, finished_at, hold_until, nudged, round_start, due_at)
      on webhooks.message to gateway_portal`.execute(db);
  },
};

/** The same for the columns that name an event's endpoint. */
export const grantPortalEndpoints = {
  up: async (db: Kysely<unknown>) => {
    const { rows } = await sql`select 1 from pg_roles where rolname = 'gateway_portal'`.execute(db);
    if (rows.length === 0) return;
    await sql`grant insert (event_id, other_endpoint_id) on webhooks.message to gateway_portal`.execute(
      db,
    );
  },
};
