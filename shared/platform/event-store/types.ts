/** A provider's signed callback, stored with the event that it caused. */
export type KeptReport = {
  /** Its `webhook-id` and `webhook-timestamp`. */
  id: string;
  timestamp: string;
  /** Tells the secret that it was signed with from others (`secretHint`). */
  secret_hint: string;
  /**
   * Its `webhook-signature` and its body, byte by byte, under the client's key. The signature too:
   * who has the provider's secret could find the numbers in the body by trying. Absent where the
   * client was erased before it came.
   */
  sealed?: string;
  /**
   * Why `sealed` is absent where the client was not erased: no master key reads the client's key.
   */
  unsealed?: 'key_unreadable';
};

/**
 * What is known about an event beside its content. Stored with it, in this spelling, for auditors.
 */
export type EventMetadata = {
  /**
   * The same on every event that one request led to; a provider's report belongs to the request
   * that created its operation.
   */
  correlation_id: string;
  /** The id of the event that this one reacts to, if any. */
  causation_id?: string;
  /** The `x-request-id` of the HTTP request behind it (R2.7), if any. */
  request_id?: string;
  /** The place in a trace that led to it (W3C Trace Context); only of traces that are kept. */
  traceparent?: string;
  /**
   * Who acted: `merchant:<shop_id>`, `payer:payment-page`, `operator:<name>`, `provider:<name>`,
   * `service:<name>`, `auditor:<name>`.
   */
  actor: string;
  /** The API key that a merchant acted with, by its id. */
  key_id?: string;
  /**
   * The token that an operator acted with, by its id; `first` for one that the configuration gives.
   */
  token_id?: string;
  /** On the first of the events that a provider's callback added to a stream together. */
  report?: KeptReport;
  schema_version: number;
};

export type NewEvent = {
  /** Random and made once per decision: only a retry of the same append carries it again. */
  id: string;
  type: string;
  data: object;
  metadata: EventMetadata;
};

export type StoredEvent = {
  id: string;
  type: string;
  data: unknown;
  metadata: EventMetadata;
  stream: string;
  revision: number;
  /** Place in the log's one total order. */
  position: bigint;
  created: Date;
};

/** The revision of a stream that has no event yet. */
export const NO_STREAM = -1;

export type AppendOutcome =
  | { outcome: 'appended'; revision: number; position: bigint }
  /**
   * Another event stands where this one was to go; `actualRevision` is the head that the store
   * named.
   */
  | { outcome: 'conflict'; actualRevision: number }
  /**
   * Neither success nor refusal could be established before the deadline. It may yet be in the log.
   */
  | { outcome: 'unknown'; cause: unknown };

export type AppendRequest = {
  stream: string;
  /** The revision of the last event that the decision knows; `NO_STREAM` when it knows none. */
  expectedRevision: number;
  events: readonly NewEvent[];
  /** How long the outcome may take to establish. */
  deadlineMs?: number;
};

export type ReadRequest = {
  fromRevision?: number;
  direction?: 'forwards' | 'backwards';
  maxCount?: number;
  /** How long the store may take to answer; 5 s when nothing is said. */
  deadlineMs?: number;
};

export type ReadLogRequest = {
  /** The position of an event of the log; 0 for its start. */
  after: bigint;
  maxCount: number;
  /** How long the store may take to answer; 5 s unless said. */
  deadlineMs?: number;
};

/** An event of the log by its place; its content is decoded for those who ask for it. */
export type LoggedEvent = Pick<StoredEvent, 'stream' | 'revision' | 'position'> & {
  read(): StoredEvent;
};

export type LogItem =
  | { kind: 'event'; event: StoredEvent }
  /** Everything up to here was read; nothing else of it matched the filter. */
  | { kind: 'checkpoint'; position: bigint }
  /** All that was in the log when the subscription began has been given. */
  | { kind: 'caught_up' };

export type LogFilter = {
  streamPrefixes: readonly string[];
  /** Events of these types are not sent at all; others, also those that nobody knows yet, are. */
  exceptTypes?: readonly string[];
};

export type SubscribeRequest = {
  /** The position of the last event or checkpoint that was handled; undefined: from the start. */
  after?: bigint;
  filter?: LogFilter;
  maxBatch?: number;
  /**
   * By a subscription of its own: `caught_up` then says that all is given that the store had, and
   * not this process.
   */
  alone?: boolean;
  /**
   * For who wants little of the log: catches up alone, and goes on with all that the process is
   * sent, once others there follow the log; while nobody does, the store sends only what matches.
   */
  little?: boolean;
  signal: AbortSignal;
};

/** The log, as far as the gateway uses it. */
export type EventStore = {
  append(request: AppendRequest): Promise<AppendOutcome>;
  /** The events of a stream in order; none when it does not exist. */
  read(stream: string, request?: ReadRequest): Promise<StoredEvent[]>;
  /**
   * The events of a stream from its first on, where they have just come by in this process: of an
   * operation, or of a client's key. The newest may be missing: for decisions that are checked by
   * the revision at which they are appended, and for a key that was made a moment ago.
   */
  recent(stream: string): readonly StoredEvent[] | undefined;
  /** Batches of the log from a position on, then live, until the signal or an error ends it. */
  subscribe(request: SubscribeRequest): AsyncIterable<LogItem[]>;
  /**
   * The events of the log after a position, oldest first. `gap`: that position is not in this log,
   * or no longer, so that something may be missing between it and the first event.
   */
  readLog(request: ReadLogRequest): Promise<{ events: LoggedEvent[]; gap: boolean }>;
  /**
   * What has come by in this process of the log after a position, oldest first and without a gap;
   * nothing where it is not followed from there.
   */
  followed(after: bigint): readonly StoredEvent[];
  /** The position of the newest event in the log, 0 when it is empty. */
  head(): Promise<bigint>;
  close(): Promise<void>;
};

/**
 * The log, and how a stream of it is destroyed: for personal data alone
 * (docs/operators/personal-data.md).
 */
export type ErasableEventStore = EventStore & {
  /**
   * Deletes a stream for good, whether or not there is one; a repeat changes nothing. From then on
   * reads and appends of it fail (`isStreamDeleted`). @throws when it is not known whether it was
   * done
   */
  tombstone(stream: string): Promise<void>;
};
