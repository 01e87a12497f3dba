import type { Leg, PlainRequest } from '#shared/domain/operation/events.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Route } from '#shared/domain/routing.ts';

/** What a provider is asked to carry out: one attempt at one operation. */
export type Submission = {
  operationId: string;
  attempt: number;
  type: OperationType;
  request: PlainRequest;
  route: Route;
};

/** By what a provider knows an attempt. */
export type AttemptRef = { operationId: string; attempt: number };

/** The key under which a provider knows an attempt: the same on every retry, another for every attempt. */
export const attemptKey = (operationId: string, attempt: number): string => `${operationId}.${attempt}`;

export type CallBounds = { timeoutMs: number; signal?: AbortSignal };

/** What a provider said of an attempt: what became of the submission, and all that it knows by now. */
export type AttemptKnown = { answer: ProviderAnswer; report: ProviderReport };

/** A callback as its provider signed it: what it can be held to. */
export type SignedReport = {
  /** The headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
  id: string;
  timestamp: string;
  signature: string;
  /** Of the secret that it was signed with. */
  secretHint: string;
  body: Uint8Array;
};

/** What a provider can show for one leg. `synthetic`: the amount is right, nothing of the transfer is known. */
export type EvidenceItem = Omit<Leg, 'synthetic'> & { synthetic: boolean };

/** The largest file that is taken from a payer or a provider. */
export const maxReceiptBytes = 10 * 1024 * 1024;

/**
 * All that the gateway asks of a provider. A connector translates; it decides nothing, and it never throws for what
 * a provider or the network does: an answer that is not clearly one of the provider's own is `unknown`.
 */
export type ProviderConnector = {
  readonly name: string;
  /** Submits an attempt, once by its key: a repeat gets the first answer. */
  submit(submission: Submission, bounds: CallBounds): Promise<ProviderAnswer>;
  /** What the provider knows of an attempt: how an unknown outcome is resolved. */
  ask(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<
    | ({ outcome: 'known' } & AttemptKnown)
    /** The provider never took it, and never will: the key is spent. */
    | { outcome: 'never_submitted' }
    | { outcome: 'unknown'; cause: string }
  >;
  /**
   * Takes an attempt back. `withdrawn`: nothing more will come of it, whether or not it was known; `refused`: it had
   * ended with money. Either way the report holds the money that came for it.
   */
  withdraw(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<({ outcome: 'withdrawn' | 'refused' } & AttemptKnown) | { outcome: 'unknown'; cause: string }>;
  /** The rate at which a converting route would carry out an attempt that is not submitted yet. */
  quote(
    wanted: AttemptRef & { request: PlainRequest; route: Route },
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'quoted'; rate: string }
    | { outcome: 'refused'; reason: string }
    | { outcome: 'unknown'; cause: 'timeout' | 'error' }
  >;
  /** Hands a payer's receipt over, once by its id: a repeat adds nothing. `refused`: it takes none now. */
  submitReceipt(
    attempt: AttemptRef,
    receipt: { receiptId: string; content: Uint8Array; contentType: string },
    bounds: CallBounds,
  ): Promise<
    | ({ outcome: 'taken' } & AttemptKnown)
    | { outcome: 'refused'; reason: string }
    | { outcome: 'unknown'; cause: 'timeout' | 'error' }
  >;
  /** What the provider can show for the money of an attempt; `unavailable` while it can't tell. */
  evidence(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'known'; status: 'complete' | 'partial'; items: readonly EvidenceItem[] }
    | { outcome: 'unavailable'; cause: string }
  >;
  /** The file that shows a leg, up to `maxReceiptBytes`; `none` where there never was one. */
  fetchReceiptFile(
    attempt: AttemptRef,
    legId: string,
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'file'; content: Uint8Array; contentType: string }
    | { outcome: 'none' }
    | { outcome: 'unavailable'; cause: string }
  >;
  /**
   * A provider's callback as a report, or why it is not one. The signature is over the raw bytes. `answer` tells
   * what became of the submission, for an attempt whose own answer was never received: take it before the report.
   */
  readCallback(
    headers: Headers,
    body: Uint8Array,
    nowMs: number,
  ):
    | ({ ok: true; operationId: string; signed: SignedReport } & AttemptKnown)
    | { ok: false; reason: 'signature' | 'malformed' };
};

/** The connectors by the name that routes use. */
export type Providers = ReadonlyMap<string, ProviderConnector>;
