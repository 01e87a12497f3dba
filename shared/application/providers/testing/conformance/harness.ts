import type { Credentials } from '../../accounts/credentials.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { ProviderConnector, Submission } from '../../connector.ts';

/** A connector and its provider's simulator, as the conformance suite drives them. */
export type Harness = {
  /**
   * The connector as the gateway makes it, for a provider at this URL; `wrong`: with these in place
   * of the right ones.
   */
  connect(
    url: string,
    wrong?: Credentials,
  ): { connector: ProviderConnector; close(): Promise<void> };
  /** What the provider does not take; needed where the connector can check credentials. */
  wrongCredentials?: Credentials;
  start(): Promise<Simulator>;
};

/** The input of `submit`. */
export type { Submission };

/** The provider, without real money. Nothing of it happens by itself unless it says so. */
export type Simulator = {
  url: string;
  stop(): Promise<void>;
  /** The submission as the provider refuses it; absent where it refuses none of this type. */
  refused?(submission: Submission): Submission;
  /**
   * Whether a request is the one that orders something: what happens to it decides what is unknown.
   */
  isSubmission(request: { method: string; path: string }): boolean;
  /** How many orders the provider holds or has carried out for the attempt. */
  orders(submission: Submission): Promise<number>;
  /**
   * Money moves for an attempt that was accepted: all of it, or an amount where the provider knows
   * parts.
   */
  pay(submission: Submission, amount?: string): Promise<void>;
  /**
   * Money of an attempt that was paid goes back: of its newest leg, all of it or an amount, also
   * more than came; needed where the connector has `returns`.
   */
  giveBack?(submission: Submission, amount?: string): Promise<void>;
  /**
   * Types of operations of which the provider is sent nothing: whoever asks for one is told that it
   * waits for money.
   */
  sentNothing?: readonly OperationType[];
  /** Types of operations whose money may come in parts. */
  parts: readonly OperationType[];
  /** The provider ends an attempt without money; absent where it does so for none of this type. */
  decline?(submission: Submission): Promise<void>;
  /** Types of operations that the provider may decline after it accepted them. */
  declines: readonly OperationType[];
  /**
   * The callbacks that came for an attempt, oldest first; needed where the connector reads them.
   */
  callbacks?(submission: Submission): readonly { headers: Headers; body: Uint8Array }[];
  /** The file of a receipt that the provider takes from an attempt; needed where it takes any. */
  receipts?(submission: Submission): Promise<number>;
};
