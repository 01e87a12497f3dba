import type { FieldCode, problemStatuses } from './api.ts';

export type ProblemCode = keyof typeof problemStatuses;

/**
 * One invalid field: where it stands in the body (RFC 6901; empty: the body as a whole) and what is
 * wrong.
 */
export type FieldError = { pointer: string; code: FieldCode; detail: string };

/** The fields of every failure. */
export type FailureDetails = {
  /** For people. */
  detail: string;
  /** What to quote to the gateway's operator: the same for all attempts of a call. */
  requestId: string;
  /** How often the request was sent. */
  attempts: number;
  /**
   * `not_done`: nothing of the request happened, or will. `unknown`: it may have, or may yet: send
   * the same request again, or ask for the operation's state. Of a request that only reads always
   * `not_done`.
   */
  outcome: 'not_done' | 'unknown';
};

/** The gateway refused, with one of the codes of its table; `code` determines the other fields. */
export type Refusal<Code extends ProblemCode = ProblemCode> = Code extends ProblemCode
  ? FailureDetails & { code: Code; status: (typeof problemStatuses)[Code] } & MoreOf<Code>
  : never;

type MoreOf<Code extends ProblemCode> = Code extends 'invalid_request'
  ? {
      /** Every invalid field; empty where the request as a whole can't be read. */
      errors: readonly FieldError[];
    }
  : Code extends 'provider_not_accepted' | 'insufficient_funds'
    ? {
        /**
         * The operation, which is `declined`: a new attempt needs a new `merchant_operation_id`.
         */
        operationId: string;
      }
    : Code extends 'rate_limited'
      ? {
          /** What the gateway asked to wait, where that is longer than the call had left. */
          retryAfterMs: number;
        }
      : unknown;

/** No attempt got an answer before the deadline. */
export type NoAnswer = FailureDetails & { code: 'no_answer'; cause: 'timeout' | 'connection' };

/**
 * Something answered that is not the gateway, or that this client doesn't know: a proxy, a wrong
 * base URL.
 */
export type UnexpectedAnswer = FailureDetails & { code: 'unexpected_answer'; status: number };

export type Failure<Code extends ProblemCode = ProblemCode> =
  | Refusal<Code>
  | NoAnswer
  | UnexpectedAnswer;

export type Success<Data> = {
  ok: true;
  data: Data;
  /** The create had been answered before: this is the operation as it is now. */
  replayed: boolean;
  requestId: string;
  attempts: number;
};

type FailedResult<Code extends ProblemCode> = { ok: false; error: Failure<Code> };

/**
 * What became of a call. It rejects only when its own signal aborts it, with the signal's reason.
 */
export type Result<Data, Code extends ProblemCode = ProblemCode> =
  | Success<Data>
  | FailedResult<Code>;

/** A failure for those who would rather catch than ask. */
export class GatewayError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(`${failure.detail} (${failure.code}, request ${failure.requestId})`);
    this.name = 'GatewayError';
    this.failure = failure;
  }
}

/** What the call answered. @throws GatewayError when it failed */
export function orThrow<Data>(result: Result<Data>): Data {
  if (result.ok) return result.data;
  throw new GatewayError(result.error);
}
