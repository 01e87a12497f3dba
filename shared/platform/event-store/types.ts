import type { EventSigner } from './signature.ts';

/** A provider's signed callback, stored with the event that it caused. */
export type StoredReport = {
  /** Its `webhook-id` and `webhook-timestamp`. */
  id: string;
  timestamp: string;
  /** Identifies the secret that it was signed with (`secretHint`). */
  secret_hint: string;
  /**
   * Its `webhook-signature` and its body, byte by byte, encrypted with the client's key. The
   * signature is encrypted too: with the provider's secret, a number in the body could be found by
   * trying. Absent if the client was erased before the callback came.
   */
  sealed?: string;
  /**
   * Why `sealed` is absent although the client was not erased: no master key opens the client's
   * key.
   */
  unsealed?: 'key_unreadable';
};

/** The metadata of an event, stored with these names, also for auditors. */
export type EventMetadata = {
  /**
   * The same on every event that follows from one request. A provider's report has the one of the
   * create.
   */
  correlation_id: string;
  /** The id of the event that this one reacts to, if any. */
  causation_id?: string;
  /** The `x-request-id` of the HTTP request behind it (R2.7), if any. */
  request_id?: string;
  /** The span that led to it (W3C Trace Context), if its trace is sampled. */
  traceparent?: string;
  /**
   * Who acted: `merchant:<shop_id>`, `member:<member_id>`, `payer:payment-page`,
   * `operator:<name>`, `provider:<name>`, `service:<name>` or `auditor:<name>`.
   */
  actor: string;
  /** The API key that a merchant acted with, by its id. */
  key_id?: string;
  /**
   * The token that an operator acted with, by its id; `first` for a token from the configuration.
   */
  token_id?: string;
  /**
   * The issuers of the sign-in links that a member's session goes back to, besides the member: the
   * issuer of its own link first, then the issuer of the link that this one had signed in with, and
   * so on.
   */
  link_issuers?: readonly string[];
  /** On the first of the events that a provider's callback added to a stream together. */
  report?: StoredReport;
  schema_version: number;
  /** `<key id>.<MAC>` by a key that all services share: each verifies what it decides upon. */
  common_signature?: string;
  /**
   * `<key id>.<MAC>` by the service that appended the event (docs/decisions/signed-log.md). The
   * append adds it.
   */
  signature?: string;
};

export type NewEvent = {
  /** Random, and made once for each decision: only a retry of the same append has the same id. */
  id: string;
  type: string;
  data: object;
  metadata: EventMetadata;
  /** Signs it instead of the append's signer. */
  signer?: EventSigner;
};

export type StoredEvent = {
  id: string;
  type: string;
  data: unknown;
  metadata: EventMetadata;
  stream: string;
  revision: number;
  /** Its place in the log. */
  position: bigint;
  created: Date;
  /** @throws UntrustedEvent unless a service has signed it; absent where nothing is verified */
  verify?(): void;
};

/** What an event is recognised by, also in a copy of its log. */
export type EventIdentity = Pick<StoredEvent, 'stream' | 'revision' | 'id'> & {
  /** Its place in the log, if it is known. */
  position?: bigint;
};

/** The revision of a stream that has no event yet. */
export const NO_STREAM = -1;

export type AppendOutcome =
  | { outcome: 'appended'; revision: number; position: bigint }
  /** Another event has this revision; `actualRevision` is the newest revision by the store. */
  | { outcome: 'conflict'; actualRevision: number }
  /** The outcome is not known at the deadline. The events may be in the log, now or later. */
  | { outcome: 'unknown'; cause: unknown };

export type AppendRequest = {
  stream: string;
  /** The revision of the last event that the decision knows; `NO_STREAM` when it knows none. */
  expectedRevision: number;
  events: readonly NewEvent[];
  /** Signs those that have no signer of their own; undefined: they stay without a signature. */
  signer?: EventSigner;
  /** How long it may take until the outcome is known. */
  deadlineMs?: number;
};

export type ReadRequest = {
  fromRevision?: number;
  direction?: 'forwards' | 'backwards';
  maxCount?: number;
  /** How long the store may take to answer; 5 s by default. */
  deadlineMs?: number;
};

type ReadLogRequest = {
  /** The position of an event of the log; 0 for its start. */
  after: bigint;
  maxCount: number;
  /** How long the store may take to answer; 5 s by default. */
  deadlineMs?: number;
};

/** An event of the log; its content is decoded only on request (`read`). */
export type LoggedEvent = Pick<StoredEvent, 'stream' | 'revision' | 'position'> & {
  read(): StoredEvent;
};

export type LogItem =
  | { kind: 'event'; event: StoredEvent }
  /**
   * Everything up to here was read; no other event matched the filter. `event`: the one at this
   * position, if it is known and never deleted.
   */
  | { kind: 'checkpoint'; position: bigint; event?: EventIdentity }
  /** All events that were in the log when the subscription began have been delivered. */
  | { kind: 'caught_up' };

export type LogFilter = {
  streamPrefixes: readonly string[];
  /** Events of these types are left out; all others are sent, also of unknown types. */
  exceptTypes?: readonly string[];
};

export type SubscribeRequest = {
  /** The position of the last event or checkpoint that was handled; undefined: from the start. */
  after?: bigint;
  filter?: LogFilter;
  maxBatch?: number;
  /**
   * Uses its own subscription instead of the shared feed, so that `caught_up` covers all events of
   * the store, not only those that this process has received.
   */
  dedicated?: boolean;
  /**
   * For a follower whose filter matches few events. It catches up with its own subscription. If
   * others in the process follow the log, it then joins their feed; otherwise the store sends it
   * only matching events.
   */
  sparse?: boolean;
  signal: AbortSignal;
};

/** The log, with the functions that the gateway uses. */
export type EventStore = {
  append(request: AppendRequest): Promise<AppendOutcome>;
  /** The events of a stream in order; none when it does not exist. */
  read(stream: string, request?: ReadRequest): Promise<StoredEvent[]>;
  /**
   * All events of a stream from memory, if this process has received them recently: of an
   * operation, or of a client's key. The newest ones may be missing. So use it only for decisions
   * that are checked by the revision at which they are appended, and for a key that was just made.
   */
  recent(stream: string): readonly StoredEvent[] | undefined;
  /** Batches of the log from a position on, then live, until the signal or an error ends it. */
  subscribe(request: SubscribeRequest): AsyncIterable<LogItem[]>;
  /**
   * The events of the log after a position, oldest first. `at`: the event at that position. `gap`:
   * that position is not in this log, or no longer, so events between it and the first one may be
   * missing.
   */
  readLog(
    request: ReadLogRequest,
  ): Promise<{ events: LoggedEvent[]; at?: LoggedEvent | undefined; gap: boolean }>;
  /**
   * The events of the log after a position that this process has received, oldest first and without
   * a gap; none if it does not follow the log from there.
   */
  followed(after: bigint): readonly StoredEvent[];
  /** The position of the newest event in the log, 0 when it is empty. */
  head(): Promise<bigint>;
  close(): Promise<void>;
};

/**
 * The log, with a function that destroys a stream: only for personal data
 * (docs/operators/personal-data.md).
 */
export type ErasableEventStore = EventStore & {
  /**
   * Deletes a stream for good, also one without events; a repeat changes nothing. After that, its
   * reads and appends fail (`isStreamDeleted`). @throws when it is not known whether it was done
   */
  tombstone(stream: string): Promise<void>;
};
