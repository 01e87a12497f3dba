import type { Leg, PlainRequest } from '#shared/domain/operation/events.ts';
import { isTerminal, type Attempt, type Operation } from '#shared/domain/operation/state.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { LineKind } from '#shared/domain/statements/events.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { SignedReport } from '#shared/application/personal-data/signed-report.ts';

/** The operations that a provider carries: of this type, by this method, in this currency. */
export type RouteKind = Pick<Route, 'type' | 'method' | 'currency'>;

/** When a provider without callbacks is polled for an attempt, in milliseconds. */
export type Rhythm = {
  /** After the acceptance, or after a poll that brought a change. */
  firstAfterMs: number;
  /** After a poll without a change; doubled with every such poll, up to the longest. */
  everyMs: number;
  /** The longest time for which a payer waits for an outcome that the provider has. */
  longestMs: number;
};

/** The request to a provider: one attempt at one operation. */
export type Submission = {
  operationId: string;
  attempt: number;
  type: OperationType;
  request: PlainRequest;
  route: Route;
  /** The end of its create's acceptance wait: nothing is sent after it. */
  acceptUntil: string;
};

/** An attempt that a provider may know: by its key, or by the provider's own reference. */
export type AttemptRef = Omit<Submission, 'request'> & {
  /** Present if it accepted the attempt. */
  providerReference?: string;
  /** The operation has ended, so that further money is late. */
  over?: boolean;
};

export const attemptRef = (
  {
    operationId,
    type,
    acceptUntil,
    status,
  }: Pick<Operation, 'operationId' | 'type' | 'acceptUntil' | 'status'>,
  { attempt, route, providerReference }: Attempt,
): AttemptRef => ({
  operationId,
  attempt,
  type,
  route,
  acceptUntil,
  over: isTerminal(status),
  ...(providerReference !== undefined && { providerReference }),
});

/**
 * The key under which a provider knows an attempt: the same on every retry, another for every
 * attempt.
 */
export const attemptKey = (operationId: string, attempt: number): string =>
  `${operationId}.${attempt}`;

export type CallBounds = { timeoutMs: number; signal?: AbortSignal };

/** A provider's state of an attempt: the outcome of the submission, and the report of its money. */
export type AttemptKnown = { answer: ProviderAnswer; report: ProviderReport };

/**
 * The evidence of a provider for one leg. `synthetic`: the amount is right, the transfer is
 * unknown.
 */
export type ProviderEvidenceItem = Omit<Leg, 'synthetic'> & { synthetic: boolean };

/** One movement of money in a provider's statement. */
export type StatementLine = {
  kind: LineKind;
  /** Seen from the account with the provider. */
  direction: 'in' | 'out';
  /**
   * The leg's id in the reports of its attempt; without an attempt, the provider's own reference.
   */
  legId: string;
  /** The leg that a return or a chargeback reverses, if the provider names it. */
  ofLegId?: string;
  /** Absent if the provider does not know its attempt. */
  of?: { operationId: string; attempt: number };
  amount: string;
  completedAt: string;
};

/** A part of the statement of a day, in its order. */
export type StatementPage = {
  outcome: 'known';
  lines: readonly StatementLine[];
  /** The cursor of the next page; absent on the last one. */
  next?: string;
  /** The day is over, so that only corrections still change it. */
  final: boolean;
  /**
   * The balances of the account before the day's first movement and after its last; absent if the
   * provider does not state them.
   */
  openingBalance?: string;
  closingBalance?: string;
};

/**
 * Anything that is not clearly a response of the provider is `unknown`; `cause` is for a log line.
 */
type UnknownOutcome<Cause extends string = string> = { outcome: 'unknown'; cause: Cause };

/**
 * The provider does not know the attempt now. Its submission may still arrive for `mayArriveForMs`,
 * so this is no refusal before that, and never without that value.
 */
type NotFound = { outcome: 'not_found' };

/**
 * Whether a submission may be repeated, and what "not found" means for one with an unknown outcome.
 */
type Submissions = {
  /** The largest clock difference, added to `mayArriveForMs`; five minutes by default. */
  clockSkewMs?: number | undefined;
} & (
  | {
      /** The provider knows the key: a repeat gets the first response and submits nothing. */
      repeatable: true;
      /** Absent if a poll for an unknown key makes it unusable (`never_submitted`). */
      mayArriveForMs?: number;
    }
  | {
      /**
       * Each request is a new submission: none is sent twice, not even by the connector's own
       * transport.
       */
      repeatable: false;
      /**
       * How long after the acceptance wait of its operation a submission may still arrive. Until
       * then an unknown outcome stays unknown, even if the provider does not find it. Choose it too
       * long rather than too short: a later arrival is paid twice.
       */
      mayArriveForMs: number;
    }
);

/** How the gateway learns the outcome of an attempt: by callbacks, or by polling. */
export type ReportChannel =
  | { by: 'callbacks'; readCallback: ReadCallback }
  | { by: 'polling'; rhythm: Rhythm };

/**
 * A provider's callback as a report, or why it was rejected. The signature covers the raw bytes.
 * `answer` is the outcome of the submission, for an attempt whose own response was never received:
 * apply it before the report.
 */
export type ReadCallback = (
  headers: Headers,
  body: Uint8Array,
  nowMs: number,
) =>
  | ({ ok: true; operationId: string; signed: SignedReport } & AttemptKnown)
  | { ok: false; reason: 'signature' | 'malformed' };

/** The calls that every provider supports. */
type Core = {
  readonly name: string;
  /** A route for anything else is refused. */
  readonly carries: readonly RouteKind[];
  readonly submissions: Submissions;
  readonly reports: ReportChannel;
  /** Its reports include returns: returned payouts and charged-back payments. */
  readonly returns?: true;
  /** Submits an attempt, once. */
  submit(submission: Submission, bounds: CallBounds): Promise<ProviderAnswer>;
  /** Polls the provider's state of an attempt, which resolves an unknown outcome. */
  ask(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<
    | ({ outcome: 'known' } & AttemptKnown)
    /** The provider never took it, and never will: the key is spent. */
    | { outcome: 'never_submitted' }
    | NotFound
    | UnknownOutcome
  >;
};

/** Optional calls. A connector leaves out those that its provider does not support. */
type Optional = {
  /**
   * Withdraws an attempt. `withdrawn`: it brings no more money, whether or not it was known;
   * `refused`: it had ended with money. In both cases the report has the money received for it.
   * Without this call an unneeded attempt is polled until it has ended: its money is late.
   */
  withdraw(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<({ outcome: 'withdrawn' | 'refused' } & AttemptKnown) | NotFound | UnknownOutcome>;
  /**
   * The rate at which a converting route would carry out an attempt before its submission. Without
   * it no converting route for payouts uses this provider.
   */
  quote(
    submission: Submission,
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'quoted'; rate: string }
    | { outcome: 'refused'; reason: string }
    | UnknownOutcome<'timeout' | 'error'>
  >;
  /**
   * Submits a payer's receipt, once by its id: a repeat adds nothing. `refused`: it accepts none
   * now. Without this call a receipt waits for an operator.
   */
  submitReceipt(
    attempt: AttemptRef,
    receipt: { receiptId: string; content: Uint8Array; contentType: string },
    bounds: CallBounds,
  ): Promise<
    | ({ outcome: 'taken' } & AttemptKnown)
    | { outcome: 'refused'; reason: string }
    | UnknownOutcome<'timeout' | 'error'>
  >;
  /**
   * The provider's evidence for the money of an attempt; `unavailable` while it can't respond.
   * Without it the legs of its reports are the only evidence.
   */
  evidence(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'known'; status: 'complete' | 'partial'; items: readonly ProviderEvidenceItem[] }
    | { outcome: 'unavailable'; cause: string }
  >;
  /**
   * The receipt file of a leg, up to `maxReceiptBytes`; `none` if there never was one. Without this
   * call no leg has one.
   */
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
   * The statement of a day (UTC) in one currency, page by page. It is passed on unchanged, even if
   * it is inconsistent. `account`: for `byRoute`; the connector of an account returns that
   * account's statement only.
   */
  statement(
    query: { account?: string; currency: string; day: string; page?: string },
    bounds: CallBounds,
  ): Promise<StatementPage | { outcome: 'unavailable'; cause: string }>;
  /** Checks the credentials. Without it they are only checked by an operation. */
  check(bounds: CallBounds): Promise<CredentialCheck>;
};

/**
 * Whether the credentials are valid. `refused` is only the provider's own response; the check
 * changes nothing.
 */
type CredentialCheck = { outcome: 'ok' } | { outcome: 'refused' } | UnknownOutcome;

/**
 * All calls of the gateway to a provider, and its declared properties. A connector translates and
 * decides nothing, and never throws for a response of the provider or a fault of the network:
 * anything that is not clearly a response of the provider is `unknown`.
 */
export type ProviderConnector = Core & Partial<Optional>;

/** The calls for one attempt. */
export type AttemptCall = 'submit' | 'ask' | Exclude<keyof Optional, 'statement' | 'check'>;

/** The connectors by the name that routes use. */
export type Providers = ReadonlyMap<string, ProviderConnector>;
