import { sql, type Kysely } from 'kysely';
import { migrate } from '#shared/platform/database/migrate.ts';
import { grantPortalEndpoints, portalGrants } from './portal-grants.ts';

const initial = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table webhooks.message (
        message_id text primary key,
        ordinal bigint generated always as identity unique,
        shop_id text not null,
        operation_id text,
        sequence integer not null check (sequence > 0),
        type text not null,
        body text not null,
        occurred_at timestamptz not null,
        created_at timestamptz not null default now(),
        status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted')),
        due_at timestamptz,
        hold_until timestamptz,
        nudged boolean not null default false,
        claim_token uuid,
        attempt_count integer not null default 0,
        round_start integer not null default 0,
        finished_at timestamptz,
        unique (operation_id, sequence),
        check (status = 'pending' or (due_at is null and claim_token is null and finished_at is not null))
      )`.execute(db);
    // For claims, and for the next due time of a shop.
    await sql`create index message_due on webhooks.message (shop_id, due_at)
      where status = 'pending' and due_at is not null`.execute(db);
    // The order within an operation.
    await sql`create index message_pending on webhooks.message (operation_id, sequence)
      where status = 'pending'`.execute(db);
    await sql`create index message_of_shop on webhooks.message (shop_id, ordinal)`.execute(db);
    await sql`create index message_unfinished on webhooks.message (status)
      where status <> 'delivered'`.execute(db);
    await sql`
      create table webhooks.attempt (
        message_id text not null references webhooks.message,
        number integer not null check (number > 0),
        started_at timestamptz not null,
        duration_ms integer not null,
        url text not null,
        status_code integer,
        answer text,
        error text,
        primary key (message_id, number)
      )`.execute(db);
    await sql`
      create table webhooks.relay (
        name text primary key,
        position bigint not null,
        stream_created text not null,
        stream_sequence bigint not null,
        ingested_position bigint,
        generation integer not null,
        updated_at timestamptz not null default now()
      )`.execute(db);
    await sql`comment on table webhooks.message is
      'One webhook, owed from one event: what is sent, and how far its delivery is'`.execute(db);
    await sql`comment on column webhooks.message.due_at is
      'When it may be sent; the end of the lease while it is being sent; null while an earlier message of its operation is pending'`.execute(
      db,
    );
    await sql`comment on table webhooks.attempt is 'Each try to deliver a message'`.execute(db);
    await sql`comment on table webhooks.relay is 'How far the log was brought into the stream'`.execute(
      db,
    );
  },
};

const reconciliation = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table webhooks.reconciliation (
        name text primary key,
        position bigint not null,
        updated_at timestamptz not null default now()
      )`.execute(db);
    await sql`comment on table webhooks.reconciliation is
      'Up to where in the log every webhook that is owed was found or made; without its row it begins anew'`.execute(
      db,
    );
  },
};

/**
 * Fewer index entries for each message, and none for a claim: the lease has its own column that no
 * index has, and pages have free room, so a claim changes only the row (a heap-only update).
 */
const leases = {
  up: async (db: Kysely<unknown>) => {
    await sql`alter table webhooks.message add column lease_until timestamptz, set (fillfactor = 50)`.execute(
      db,
    );
    await sql`alter table webhooks.message drop constraint message_ordinal_key`.execute(db);
    await sql`drop index webhooks.message_due, webhooks.message_pending, webhooks.message_unfinished`.execute(
      db,
    );
    // For claims, the next due time of a shop, and its number of pending messages.
    await sql`create index message_open on webhooks.message (shop_id, due_at) where status = 'pending'`.execute(
      db,
    );
    await sql`create index message_exhausted on webhooks.message (ordinal) where status = 'exhausted'`.execute(
      db,
    );
    await sql`comment on column webhooks.message.due_at is
      'When it may be sent, and stays so while it is being sent; null while an earlier message of its operation is pending'`.execute(
      db,
    );
    await sql`comment on column webhooks.message.lease_until is
      'While it is being sent: when another dispatcher may take it, unless the lease is renewed'`.execute(
      db,
    );
  },
};

/**
 * Without the foreign key: an attempt is written by statements that lock its message, and messages
 * are never deleted. The check, row by row, took a fifth of PostgreSQL's time for a delivery.
 */
const attemptsAlone = {
  up: async (db: Kysely<unknown>) => {
    await sql`alter table webhooks.attempt drop constraint attempt_message_id_fkey`.execute(db);
  },
};

/**
 * An attempt belongs to the trace of the request that led to its message. Null if that trace is not
 * sampled.
 */
const traces = {
  up: async (db: Kysely<unknown>) => {
    await sql`alter table webhooks.message add column traceparent text`.execute(db);
    await sql`comment on column webhooks.message.traceparent is
      'The place in a trace (W3C Trace Context) of the event that owes it, where that trace is kept'`.execute(
      db,
    );
  },
};

/** A position means nothing in another log: the event that is there identifies it. */
const checkpointEvents = {
  up: async (db: Kysely<unknown>) => {
    await sql`alter table webhooks.relay
      add column position_event jsonb, add column ingested_event jsonb`.execute(db);
    await sql`alter table webhooks.reconciliation add column position_event jsonb`.execute(db);
  },
};

/** After a restore of the log, webhooks may be recorded whose events it does not have. */
const messagesNotInLog = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table webhooks.message_not_in_log (
        message_id text primary key,
        message jsonb not null,
        removed_at timestamptz not null default now()
      )`.execute(db);
    await sql`comment on table webhooks.message_not_in_log is
      'Rows of webhooks.message whose events a restored log does not have; their attempts stay in webhooks.attempt'`.execute(
      db,
    );
  },
};

/**
 * A message for each endpoint. Messages of the endpoint with the shop's own id are as before, with
 * the event's id; the others have an id of their own.
 */
const endpoints = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      alter table webhooks.message
        add column event_id text,
        add column other_endpoint_id text,
        add column endpoint_id text generated always as (coalesce(other_endpoint_id, shop_id)) stored,
        drop constraint message_operation_id_sequence_key,
        drop constraint message_status_check,
        add constraint message_status_check
          check (status in ('pending', 'delivered', 'exhausted', 'cancelled')),
        add unique (operation_id, sequence, endpoint_id)`.execute(db);
    await sql`drop index webhooks.message_open`.execute(db);
    // For claims, the next due time of an endpoint, and its number of pending messages.
    await sql`create index message_open on webhooks.message (endpoint_id, due_at) where status = 'pending'`.execute(
      db,
    );
    await sql`create index message_of_event on webhooks.message (event_id) where event_id is not null`.execute(
      db,
    );
    await sql`comment on column webhooks.message.event_id is
      'Its webhook-id, where that is not message_id: the same event is sent to several endpoints'`.execute(
      db,
    );
    await sql`comment on column webhooks.message.endpoint_id is
      'Where it goes; the endpoint that a shop had before there were several has the shop''s own id'`.execute(
      db,
    );
    await sql`comment on column webhooks.message.other_endpoint_id is
      'endpoint_id, where that is not the shop''s own id'`.execute(db);
    await grantPortalEndpoints.up(db);
  },
};

/** Usually empty: a delivery only checks that there is nothing to remove. */
const failingEndpoints = {
  up: async (db: Kysely<unknown>) => {
    await sql`
      create table webhooks.failing_endpoint (
        endpoint_id text primary key,
        shop_id text not null,
        since timestamptz not null,
        noted boolean not null default false,
        recovered boolean not null default false
      )`.execute(db);
    await sql`comment on table webhooks.failing_endpoint is
      'Endpoints whose every attempt since then has failed'`.execute(db);
  },
};

/** Null in rows of earlier versions, and in pings: the dispatcher compares these with the log. */
const messageMacs = {
  up: async (db: Kysely<unknown>) => {
    await sql`alter table webhooks.message add column mac text`.execute(db);
    await sql`comment on column webhooks.message.mac is
      'A code over the content, by a key that only the webhooks service has: without it the content is compared with the log before it is sent'`.execute(
      db,
    );
  },
};

/**
 * Brings the schema `webhooks` up to date; for every process that reads or writes it, at its start.
 */
export async function migrateWebhooks<DB>(db: Kysely<DB>): Promise<void> {
  await migrate(db, {
    schema: 'webhooks',
    migrations: {
      '001-messages': initial,
      '002-reconciliation': reconciliation,
      '003-leases': leases,
      '004-attempts-alone': attemptsAlone,
      '005-traces': traces,
      '006-portal-grants': portalGrants,
      '007-checkpoint-events': checkpointEvents,
      '008-messages-not-in-log': messagesNotInLog,
      '009-endpoints': endpoints,
      '010-failing-endpoints': failingEndpoints,
      '011-message-macs': messageMacs,
    },
  });
}
