import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** A time of the database's own clock, written by its functions alone. */
type Clock = ColumnType<Date, never, never>;

export type MessageStatus = 'pending' | 'delivered' | 'exhausted';

/** One webhook, owed from one event: what is sent, and how far its delivery is. */
export type MessageTable = {
  /** The event's id; `webhook-id` of every attempt. */
  message_id: string;
  /** The order in which messages were recorded. */
  ordinal: GeneratedAlways<string>;
  shop_id: string;
  /** Nothing for a `ping`. */
  operation_id: string | null;
  /** Counts the operation's webhooks from 1. */
  sequence: number;
  type: string;
  /** The very bytes (UTF-8) that are signed and sent. */
  body: string;
  occurred_at: Date;
  /** Of the event, where its trace is kept. */
  traceparent: string | null;
  created_at: Clock;
  status: Generated<MessageStatus>;
  /**
   * When a dispatcher may claim it; it stays while it is claimed. Nothing while an earlier message of its operation is
   * pending, and once it is finished.
   */
  due_at: Clock | null;
  /** While it is claimed: when the claim ends, unless it is renewed. In no index, so that claims stay cheap. */
  lease_until: Clock | null;
  /** The endpoint's `Retry-After`: no attempt before. */
  hold_until: Clock | null;
  /** A newer message of the operation came since the last claim: the next retry is due at once. */
  nudged: Generated<boolean>;
  claim_token: string | null;
  attempt_count: Generated<number>;
  /** The `attempt_count` at which the present run through the retry schedule began. */
  round_start: Generated<number>;
  finished_at: Clock | null;
};

/** Each try to deliver a message, kept for ever. */
export type AttemptTable = {
  message_id: string;
  number: number;
  started_at: Date;
  duration_ms: number;
  url: string;
  status_code: number | null;
  /** The first KiB of what the endpoint answered, as text. */
  answer: string | null;
  error: string | null;
};

/** How far the relay has brought the log into the stream; one row. */
export type RelayTable = {
  name: string;
  /** Everything up to this place in the log was acknowledged by the stream. */
  position: string;
  /** Which stream that was, and how far it had got: a stream that is younger has lost something. */
  stream_created: string;
  stream_sequence: string;
  /** Everything up to this place in the log was taken out of the stream and recorded. */
  ingested_position: string | null;
  /** Grows when the relay goes back. */
  generation: number;
  updated_at: Clock;
};

/** Up to where in the log every webhook that is owed was found or made; one row. */
export type ReconciliationTable = { name: string; position: string; updated_at: Clock };

export type WebhooksDatabase = {
  'webhooks.reconciliation': ReconciliationTable;
  'webhooks.message': MessageTable;
  'webhooks.attempt': AttemptTable;
  'webhooks.relay': RelayTable;
};

/** The channel on which a shop's id is told whenever a message of it has become due. */
export const dueChannel = 'webhooks_due';
