import type { OperationRequest } from '#shared/domain/operation/events.ts';
import type { AttemptAnswer } from '#shared/domain/operation/create.ts';
import type { ProviderReport } from '#shared/domain/operation/settle.ts';
import type { OperationType } from '#shared/domain/figures.ts';
import type { Route } from '#shared/domain/routing.ts';

/** What a provider is asked to carry out: one attempt at one operation. */
export type Submission = {
  operationId: string;
  attempt: number;
  type: OperationType;
  request: OperationRequest;
  route: Route;
};

/** The key under which a provider knows an attempt: the same on every retry, another for every attempt. */
export const attemptKey = (operationId: string, attempt: number): string => `${operationId}.${attempt}`;

export type CallBounds = { timeoutMs: number; signal?: AbortSignal };

/**
 * All that the gateway asks of a provider. A connector translates; it decides nothing, and it never throws for what
 * a provider or the network does: an answer that is not clearly one of the provider's own is `unknown`.
 */
export type ProviderConnector = {
  readonly name: string;
  /** Submits an attempt, once by its key: a repeat gets the first answer. */
  submit(submission: Submission, bounds: CallBounds): Promise<AttemptAnswer>;
  /** What the provider knows of an attempt: how an unknown outcome is resolved. */
  ask(
    attempt: { operationId: string; attempt: number },
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'known'; answer: AttemptAnswer; report: ProviderReport }
    /** The provider never took it, and never will: the key is spent. */
    | { outcome: 'never_submitted' }
    | { outcome: 'unknown'; cause: string }
  >;
  /** Takes an attempt back. `withdrawn`: nothing will come of it, whether or not it was known. */
  withdraw(
    attempt: { operationId: string; attempt: number },
    bounds: CallBounds,
  ): Promise<
    { outcome: 'withdrawn' } | { outcome: 'refused'; reason: string } | { outcome: 'unknown'; cause: string }
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
    | { ok: true; operationId: string; answer: AttemptAnswer; report: ProviderReport }
    | { ok: false; reason: 'signature' | 'malformed' };
};

/** The connectors by the name that routes use. */
export type Providers = ReadonlyMap<string, ProviderConnector>;
