import type { RawEvent } from './reading/raw-event.ts';
import type { AppendOutcome, AppendRequest, StoredEvent } from './types.ts';

/** What a verifier needs of the event store, without verification. */
export type VerifierPorts = {
  read(stream: string): Promise<RawEvent[]>;
  append(request: AppendRequest): Promise<AppendOutcome>;
  /** Whether the log has no event yet but the store's own. */
  isNew(): Promise<boolean>;
};

/** Verifies what is decided upon. */
export type Verifier = {
  /** Resolves once it is known which keys count. @throws when the store does not answer */
  ready(): Promise<void>;
  /**
   * To be called before an append: the first one records the key that signs.
   * @returns why this process may not append any more
   */
  beginToSign(): Promise<Error | undefined>;
  /** The event; its signature is verified when it is decoded. */
  toStoredEvent(raw: RawEvent): StoredEvent;
  /** Whether something may be decided upon the event, by what is known of the keys so far. */
  isTrusted(raw: RawEvent): boolean;
  /** A key of the log that this process lacks has signed it. */
  isOfUnknownKey(raw: RawEvent): boolean;
  stop(): void;
};
