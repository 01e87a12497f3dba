import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { StoredIdentity } from '#shared/platform/event-store/checkpoint.ts';

/** The event at a position of the log; null in rows of earlier versions. */
type AtPosition = ColumnType<StoredIdentity | null, string | null, string | null>;

/** A time of the database's clock, written only by its functions. */
type Clock = ColumnType<Date, never, never>;

/** `cancelled`: its endpoint was deleted before it was delivered. */
export const messageStatuses = ['pending', 'delivered', 'exhausted', 'cancelled'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** One event for one endpoint: the webhook's content, and the state of its delivery. */
export type MessageTable = {
  message_id: string;
  /** The event's id, `webhook-id` of every attempt; null where it is `message_id`. */
  event_id: string | null;
  /** The order in which messages were recorded. */
  ordinal: GeneratedAlways<string>;
  shop_id: string;
  endpoint_id: GeneratedAlways<string>;
  /** Null for the endpoint that has the shop's own id. */
  other_endpoint_id: string | null;
  /** Null for a `ping`. */
  operation_id: string | null;
  /** Counts the operation's webhooks from 1. */
  sequence: number;
  type: string;
  /** The exact bytes (UTF-8) that are signed and sent. */
  body: string;
  occurred_at: Date;
  /** A code over the content; null in rows of earlier versions and in pings. */
  mac: string | null;
  /** The trace of the event, if it is sampled. */
  traceparent: string | null;
  created_at: Clock;
  status: Generated<MessageStatus>;
  /**
   * When a dispatcher may claim it; unchanged while it is claimed. Null while an earlier message of
   * its operation is pending, and once it is finished.
   */
  due_at: Clock | null;
  /**
   * While it is claimed: when the claim ends, unless it is renewed. In no index, so that claims
   * stay cheap.
   */
  lease_until: Clock | null;
  /** The endpoint's `Retry-After`: no attempt before. */
  hold_until: Clock | null;
  /**
   * A newer message of the operation was recorded since the last claim: the next retry is due at
   * once.
   */
  nudged: Generated<boolean>;
  claim_token: string | null;
  attempt_count: Generated<number>;
  /** The `attempt_count` at which the current run through the retry schedule began. */
  round_start: Generated<number>;
  finished_at: Clock | null;
};

/** Each attempt to deliver a message; never deleted. */
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

/**
 * How far the relay has published the log to the stream; one row. Its other columns are for
 * earlier versions.
 */
export type RelayTable = {
  name: string;
  /** Everything up to this log position was acknowledged by the stream. */
  position: string;
  position_event: AtPosition;
  /** Grows with each stream that is replaced. */
  generation: number;
  updated_at: Clock;
};

/** The log position up to which every expected webhook is recorded; one row. */
type ReconciliationTable = {
  name: string;
  position: string;
  position_event: AtPosition;
  updated_at: Clock;
};

/** An endpoint whose every attempt since then has failed. */
type FailingEndpointTable = {
  endpoint_id: string;
  shop_id: string;
  since: Date;
  /** The shop's stream says so, or is about to. */
  noted: Generated<boolean>;
  /** An attempt has succeeded since then. */
  recovered: Generated<boolean>;
};

export type WebhooksDatabase = {
  'webhooks.failing_endpoint': FailingEndpointTable;
  'webhooks.reconciliation': ReconciliationTable;
  'webhooks.message': MessageTable;
  'webhooks.attempt': AttemptTable;
  'webhooks.relay': RelayTable;
};

/** The channel (LISTEN/NOTIFY) for the ids of endpoints with a message that has become due. */
export const dueChannel = 'webhooks_due';
