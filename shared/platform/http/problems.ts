import type { IncomingHttpHeaders } from 'node:http';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import { unreadableIn, UntrustedEvent } from '#shared/domain/decode.ts';
import { retryAfterSeconds } from './retry-after.ts';

/**
 * Every error code of the gateway's services with its status and title (R2.1), also for the
 * documentation.
 */
export const problems = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_request: { status: 400, title: 'The request has invalid fields' },
  api_key_required: { status: 401, title: 'x-api-key header is required' },
  api_key_invalid: { status: 401, title: 'invalid api key' },
  admin_token_required: { status: 401, title: 'An admin token is required' },
  admin_token_invalid: { status: 401, title: 'The admin token is not valid' },
  signature_invalid: { status: 401, title: 'The signature is not valid' },
  receipt_url_invalid: { status: 403, title: 'The receipt link has expired or was altered' },
  forbidden: { status: 403, title: 'The token or key does not allow this' },
  second_member_required: {
    status: 403,
    title: 'A second member has to confirm the file of payouts',
  },
  operation_not_found: { status: 404, title: 'Operation not found' },
  route_not_found: { status: 404, title: 'The path does not exist' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed at this path' },
  client_operations_open: { status: 409, title: 'The client has an open operation' },
  too_many_keys: { status: 409, title: 'The shop has the maximum number of API keys' },
  too_many_endpoints: {
    status: 409,
    title: 'The shop has the maximum number of webhook endpoints',
  },
  too_many_members: { status: 409, title: 'The shop has the maximum number of members' },
  too_many_links: {
    status: 409,
    title: 'The member has reached the maximum number of sign-in links in a day',
  },
  account_not_off: { status: 409, title: 'The account is not switched off' },
  adjustment_conflict: { status: 409, title: 'The adjustment id was used with another body' },
  idempotency_body_mismatch: {
    status: 412,
    title: 'The merchant_operation_id was used with another body',
  },
  cancel_payout_unsupported: { status: 412, title: 'A payout cannot be cancelled' },
  cancel_not_allowed: { status: 412, title: 'The payment can no longer be cancelled' },
  routes_changed: {
    status: 412,
    title: 'The routes have changed in the meantime: read them again',
  },
  finding_changed: {
    status: 412,
    title: 'The finding has changed in the meantime: read it again',
  },
  confirmation_not_expected: { status: 412, title: 'No confirmation is expected' },
  review_not_allowed: { status: 412, title: 'The operation is not under review' },
  close_not_allowed: { status: 412, title: 'The operation can not be closed manually' },
  body_too_large: { status: 413, title: 'The body is too large' },
  content_type_unsupported: { status: 415, title: 'The content type is not supported' },
  provider_not_accepted: { status: 422, title: 'No provider accepted the operation' },
  insufficient_funds: { status: 422, title: 'The balance does not cover the payout' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
  accounting_inconsistent: { status: 500, title: 'The accounting position is inconsistent' },
  accounting_unavailable: { status: 503, title: 'The accounting service is unavailable' },
  receipt_evidence_unavailable: { status: 503, title: 'Receipt evidence is unavailable' },
  cancel_undecided: { status: 503, title: 'The cancellation is undecided' },
  not_ready: { status: 503, title: 'The service is not ready' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** One invalid field: where (RFC 6901), which rule, and what to do about it. */
export type FieldError = { pointer: string; code: string; detail: string };

/** What is answered of a problem. As data: making an `Error` costs more than a refusal. */
export type ProblemDetails = {
  code: ProblemCode;
  detail: string;
  headers: Record<string, string>;
  /** After which time a repeat may succeed; a second if it is absent. */
  retryAfterMs?: number | undefined;
  errors?: readonly FieldError[] | undefined;
  /**
   * Members of the body in addition to the standard ones, such as the `operation_id` of a rejected
   * creation.
   */
  members?: Readonly<Record<string, unknown>>;
};

/** Thrown by a handler to answer with an error. */
export class Problem extends Error implements ProblemDetails {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Record<string, string>;
  readonly retryAfterMs: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    options: {
      detail?: string;
      errors?: readonly FieldError[] | undefined;
      headers?: Record<string, string>;
      retryAfterMs?: number | undefined;
      members?: Readonly<Record<string, unknown>>;
      cause?: unknown;
    } = {},
  ) {
    super(options.detail ?? problems[code].title, { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.detail = options.detail ?? problems[code].title;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.retryAfterMs = options.retryAfterMs;
    this.members = options.members ?? {};
  }
}

/** Details as what a handler throws. */
export const asProblem = (details: ProblemDetails): Problem => new Problem(details.code, details);

/** Where the merchant API explains a code. */
export const pathOfCode = (code: string): string => `/docs/errors/${code.replaceAll('_', '-')}`;

/** Names the kind of problem, and leads to what explains it (R2.12). */
export const problemType = (code: ProblemCode, gateway: string = gatewayUrl()): string =>
  `${gateway}${pathOfCode(code)}`;

/**
 * Whether the same request may succeed later. An unexpected error may be temporary, and a repeat
 * does nothing twice; an inconsistent ledger stays inconsistent.
 */
export const isRetryable = (code: ProblemCode): boolean =>
  [429, 503].includes(problems[code].status) || code === 'internal_error';

/** A problem as an answer: JSON here, a page where people read it. */
export type RenderProblem = typeof renderProblem;

/** The problem as it is sent (RFC 9457), with `Retry-After` if it is retryable. */
export function renderProblem(
  problem: ProblemDetails,
  request: {
    path: string;
    requestId: string;
    gateway?: string;
    /** The headers of the request, as far as they were read. */
    headers?: IncomingHttpHeaders | undefined;
    /** Only tests replace it. */
    random?: () => number;
  },
): { status: number; headers: Record<string, string>; body: string } {
  const { status, title } = problems[problem.code];
  const retryable = isRetryable(problem.code);
  const body = {
    type: problemType(problem.code, request.gateway),
    title,
    status,
    code: problem.code,
    detail: problem.detail,
    message: problem.detail,
    instance: request.path,
    request_id: request.requestId,
    retryable,
    ...(problem.errors && { errors: problem.errors }),
    ...problem.members,
  };
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-request-id': request.requestId,
      ...problemHeaders(problem, request.random),
    },
    body: JSON.stringify(body),
  };
}

export function problemResponse(
  problem: Problem,
  request: { path: string; requestId: string },
): Response {
  const { body, ...init } = renderProblem(problem, request);
  return new Response(body, init);
}

/** The headers that belong to the problem itself; `Retry-After` if a repeat may succeed. */
export function problemHeaders(
  { code, headers, retryAfterMs = 1_000 }: ProblemDetails,
  random?: () => number,
): Record<string, string> {
  return {
    ...(isRetryable(code) && { 'retry-after': String(retryAfterSeconds(retryAfterMs, random)) }),
    ...lowerCased(headers),
  };
}

/**
 * Lower-case names, so that a caller's header replaces the default instead of being added to it.
 */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** The log holds an event that only a newer version can read. */
const unreadable =
  'a newer version of the gateway wrote what this instance would have to read: send the request again';

/** The log holds an event that no service has signed. */
const untrusted =
  'the recorded history of what was requested is under investigation: nothing is decided on it until then';

/**
 * The problem that answers an error.
 * @returns `fault`, to be logged, where it is not the caller's doing
 */
export function toProblem(error: unknown): {
  problem: Problem;
  fault?: { err: unknown; what: string };
} {
  const cause = unreadableIn(error);
  if (cause instanceof UntrustedEvent)
    return {
      problem: new Problem('not_ready', { detail: untrusted, cause }),
      fault: { err: cause, what: 'the log holds what no service has signed' },
    };
  if (cause)
    return {
      problem: new Problem('not_ready', { detail: unreadable, cause }),
      fault: { err: cause, what: 'the log holds what this version can not read' },
    };
  if (error instanceof Problem) return { problem: error };
  return {
    problem: new Problem('internal_error', { cause: error }),
    fault: { err: error, what: 'request failed' },
  };
}
