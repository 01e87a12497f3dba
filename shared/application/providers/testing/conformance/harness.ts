import type { Credentials } from '../../accounts/credentials.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { ProviderConnector, Submission } from '../../connector.ts';

/** A connector and its provider's simulator, as the conformance suite drives them. */
export type Harness = {
  /**
   * Creates the connector as the gateway does, for a provider at this URL; `wrong`: credentials
   * that replace the valid ones.
   */
  connect(
    url: string,
    wrong?: Credentials,
  ): { connector: ProviderConnector; close(): Promise<void> };
  /** Credentials that the provider rejects; required if the connector has `check`. */
  wrongCredentials?: Credentials;
  start(): Promise<Simulator>;
};

/** The input of `submit`. */
export type { Submission };

/** The provider without real money. Nothing happens without a command. */
export type Simulator = {
  url: string;
  stop(): Promise<void>;
  /** The submission in a form that the provider refuses; absent if it refuses none of this type. */
  refused?(submission: Submission): Submission;
  /**
   * Whether a request places the order: faults are injected into this request.
   */
  isSubmission(request: { method: string; path: string }): boolean;
  /** How many orders the provider holds or has carried out for the attempt. */
  orders(submission: Submission): Promise<number>;
  /**
   * Moves money for an accepted attempt: the whole amount, or a part if the provider supports
   * parts.
   */
  pay(submission: Submission, amount?: string): Promise<void>;
  /**
   * Returns money of a paid attempt: of its newest leg, the whole or an amount, which may exceed
   * the received money; required if the connector has `returns`.
   */
  giveBack?(submission: Submission, amount?: string): Promise<void>;
  /**
   * Types of operations that are not sent to the provider: a poll reports that they wait for
   * money.
   */
  sentNothing?: readonly OperationType[];
  /** Types of operations whose money may come in parts. */
  parts: readonly OperationType[];
  /** Makes the provider decline an attempt; absent if it declines none of this type. */
  decline?(submission: Submission): Promise<void>;
  /** Types of operations that the provider may decline after it accepted them. */
  declines: readonly OperationType[];
  /**
   * The callbacks received for an attempt, oldest first; required if the connector reads them.
   */
  callbacks?(submission: Submission): readonly { headers: Headers; body: Uint8Array }[];
  /** The number of receipts of an attempt; required if the provider accepts receipts. */
  receipts?(submission: Submission): Promise<number>;
};
