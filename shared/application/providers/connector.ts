import type { Leg, PlainRequest } from '#shared/domain/operation/events.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { LineKind } from '#shared/domain/statements/events.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { Route } from '#shared/domain/routing.ts';
import type { SignedReport } from '#shared/application/personal-data/signed-report.ts';

/** What a provider carries: operations of this type, by this method, in this currency. */
export type Carried = Pick<Route, 'type' | 'method' | 'currency'>;

/** When a provider that does not call back is asked about an attempt, in milliseconds. */
export type Rhythm = {
  /** After the attempt was accepted, or brought something new. */
  firstAfterMs: number;
  /**
   * After a question that brought nothing new; doubled with every such question, up to the longest.
   */
  everyMs: number;
  /** So long at most may a payer wait for what the provider knows already. */
  longestMs: number;
};

/** What a provider is asked to carry out: one attempt at one operation. */
export type Submission = {
  operationId: string;
  attempt: number;
  type: OperationType;
  request: PlainRequest;
  route: Route;
  /** The end of its create's acceptance wait: nothing is sent after it. */
  acceptUntil: string;
};

/** An attempt that a provider may know: by its key, or by what the provider itself called it. */
export type AttemptRef = Omit<Submission, 'request'> & {
  /** Where it accepted the attempt. */
  providerReference?: string;
  /** Its operation has ended: money that comes now is late. */
  over?: boolean;
};

/**
 * The key under which a provider knows an attempt: the same on every retry, another for every
 * attempt.
 */
export const attemptKey = (operationId: string, attempt: number): string =>
  `${operationId}.${attempt}`;

export type CallBounds = { timeoutMs: number; signal?: AbortSignal };

/**
 * What a provider said of an attempt: what became of the submission, and all that it knows by now.
 */
export type AttemptKnown = { answer: ProviderAnswer; report: ProviderReport };

/**
 * What a provider can show for one leg. `synthetic`: the amount is right, nothing of the transfer
 * is known.
 */
export type EvidenceItem = Omit<Leg, 'synthetic'> & { synthetic: boolean };

/** The largest file that is taken from a payer or a provider. */
export const maxReceiptBytes = 10 * 1024 * 1024;

/** One movement of money in a provider's statement. */
export type StatementLine = {
  kind: LineKind;
  /** Seen from the account with the provider. */
  direction: 'in' | 'out';
  /**
   * As reports of its attempt have it: the leg's id. Of what is of no attempt: the provider's own
   * reference.
   */
  legId: string;
  /** Of a return or a chargeback: the leg whose money it was, where the provider says so. */
  ofLegId?: string;
  /** Absent where the provider does not know whose money it is. */
  of?: { operationId: string; attempt: number };
  amount: string;
  completedAt: string;
};

/** A part of the statement of a day, in its order. */
export type StatementPage = {
  outcome: 'known';
  lines: readonly StatementLine[];
  /** What the next page is asked for by; absent on the last one. */
  next?: string;
  /** The day is over, and nothing of it changes any more but by a correction. */
  final: boolean;
  /**
   * What the account held before the day's first movement and after its last; absent where the
   * provider does not say.
   */
  openingBalance?: string;
  closingBalance?: string;
};

/** What is not clearly an answer of the provider is `unknown`; `cause` is for a log line. */
type Unknown<Cause extends string = string> = { outcome: 'unknown'; cause: Cause };

/**
 * The provider does not know the attempt now. Its submission may still arrive until its time is
 * over (`mayArriveForMs`), so this is no refusal before that, and never where that is not said.
 */
type NotFound = { outcome: 'not_found' };

/**
 * Whether a submission may be repeated, and what "not found" says of one whose outcome is not
 * known.
 */
type Submissions = {
  /**
   * By how much clocks may differ: added to `mayArriveForMs`. Five minutes where it is not said.
   */
  clockSkewMs?: number | undefined;
} & (
  | {
      /**
       * The provider knows the key: a repeat gets the first answer, and is no second submission.
       */
      repeatable: true;
      /** Absent where asking spends the key of what never came (`never_submitted`). */
      mayArriveForMs?: number;
    }
  | {
      /**
       * Each submission is one more: nothing is sent twice, also not by the connector's own
       * transport.
       */
      repeatable: false;
      /**
       * For so long after the acceptance wait of its operation a submission may still arrive. Until
       * then an outcome that is not known stays so, whatever the provider does not find. Rather too
       * long: what arrives later is paid twice.
       */
      mayArriveForMs: number;
    }
);

/** How the gateway learns the outcome of an attempt: by callbacks, or by polling. */
export type Reports =
  | { by: 'callbacks'; readCallback: ReadCallback }
  | { by: 'polling'; rhythm: Rhythm };

/**
 * A provider's callback as a report, or why it is not one. The signature is over the raw bytes.
 * `answer` tells what became of the submission, for an attempt whose own answer was never received:
 * take it before the report.
 */
export type ReadCallback = (
  headers: Headers,
  body: Uint8Array,
  nowMs: number,
) =>
  | ({ ok: true; operationId: string; signed: SignedReport } & AttemptKnown)
  | { ok: false; reason: 'signature' | 'malformed' };

/** What every provider can do. */
type Core = {
  readonly name: string;
  /** A route for anything else is refused. */
  readonly carries: readonly Carried[];
  readonly submissions: Submissions;
  readonly reports: Reports;
  /**
   * Its reports say what went back: a payout that was returned, a payment that was charged back.
   */
  readonly returns?: true;
  /** Submits an attempt, once. */
  submit(submission: Submission, bounds: CallBounds): Promise<ProviderAnswer>;
  /** What the provider knows of an attempt: how an unknown outcome is resolved. */
  ask(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<
    | ({ outcome: 'known' } & AttemptKnown)
    /** The provider never took it, and never will: the key is spent. */
    | { outcome: 'never_submitted' }
    | NotFound
    | Unknown
  >;
};

/** What a provider may be able to do. A connector leaves out what its provider does not have. */
type Optional = {
  /**
   * Takes an attempt back. `withdrawn`: nothing more will come of it, whether or not it was known;
   * `refused`: it had ended with money. Either way the report holds the money that came for it.
   * Without it an attempt that is no longer needed is asked about until it has ended: money that
   * comes for it is late.
   */
  withdraw(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<({ outcome: 'withdrawn' | 'refused' } & AttemptKnown) | NotFound | Unknown>;
  /**
   * The rate at which a converting route would carry out an attempt that is not submitted yet.
   * Without it no converting route for payouts goes there.
   */
  quote(
    submission: Submission,
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'quoted'; rate: string }
    | { outcome: 'refused'; reason: string }
    | Unknown<'timeout' | 'error'>
  >;
  /**
   * Hands a payer's receipt over, once by its id: a repeat adds nothing. `refused`: it takes none
   * now. Without it a receipt waits for a person.
   */
  submitReceipt(
    attempt: AttemptRef,
    receipt: { receiptId: string; content: Uint8Array; contentType: string },
    bounds: CallBounds,
  ): Promise<
    | ({ outcome: 'taken' } & AttemptKnown)
    | { outcome: 'refused'; reason: string }
    | Unknown<'timeout' | 'error'>
  >;
  /**
   * What the provider can show for the money of an attempt; `unavailable` while it can't respond.
   * Without it the legs of its reports are all that it shows.
   */
  evidence(
    attempt: AttemptRef,
    bounds: CallBounds,
  ): Promise<
    | { outcome: 'known'; status: 'complete' | 'partial'; items: readonly EvidenceItem[] }
    | { outcome: 'unavailable'; cause: string }
  >;
  /**
   * The file that shows a leg, up to `maxReceiptBytes`; `none` where there never was one. Without
   * it no leg has one.
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
   * The statement of a day (UTC) in one currency, a page at a time. What the provider says is
   * passed on, also where it does not add up. `account`: whose, for `byRoute`; the connector of an
   * account speaks for that one alone.
   */
  statement(
    query: { account?: string; currency: string; day: string; page?: string },
    bounds: CallBounds,
  ): Promise<StatementPage | { outcome: 'unavailable'; cause: string }>;
  /** Checks the credentials. Without it they are only checked by an operation. */
  check(bounds: CallBounds): Promise<Checked>;
};

/**
 * Whether the credentials open the account. Only the provider's own word is `refused`; nothing is
 * changed by asking.
 */
export type Checked = { outcome: 'ok' } | { outcome: 'refused' } | Unknown;

/**
 * All that the gateway asks of a provider, and what it says of itself. A connector translates; it
 * decides nothing, and it never throws for what a provider or the network does: an answer that is
 * not clearly one of the provider's own is `unknown`.
 */
export type ProviderConnector = Core & Partial<Optional>;

/** What a connector does about one attempt. */
export type AttemptCall = 'submit' | 'ask' | Exclude<keyof Optional, 'statement' | 'check'>;

/** The connectors by the name that routes use. */
export type Providers = ReadonlyMap<string, ProviderConnector>;
