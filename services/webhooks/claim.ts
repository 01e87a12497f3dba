/** A message that this dispatcher alone may send until the lease ends. */
export type ClaimedMessage = {
  messageId: string;
  /** The event's id; `messageId` where it is undefined. */
  webhookId?: string | undefined;
  shopId: string;
  endpointId: string;
  operationId: string | null;
  type: string;
  body: string;
  /** When its event was appended, in milliseconds since the epoch. */
  occurredAtMs: number;
  /** The trace of that event, if it is sampled. */
  traceparent: string | null;
  /** Identifies the claim: of two, the later one counts. */
  token: string;
  /** When the lease ends, by `performance.now()`: never later than in the table. */
  leaseEndsMs: number;
};

/** A claimed message as its row has it: anyone who can write to the table may have changed it. */
export type RecordedClaim = ClaimedMessage & { sequence: number; mac: string | null };

/**
 * Messages that this process sends at once, the first of their operations: they are recorded as
 * claimed, until the lease ends.
 */
export type HandoverLease = Pick<ClaimedMessage, 'token' | 'leaseEndsMs'> & {
  messageIds: ReadonlySet<string>;
};

/** How long a claim lasts unless renewed; then another dispatcher may claim the message. */
export const leaseMs = 5_000;
