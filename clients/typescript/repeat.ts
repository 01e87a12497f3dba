import { problemStatuses } from './api.ts';
import { exchangeOnce, type HttpExchange, type Request } from './exchange.ts';
import type { Failure, Result } from './failures.ts';

/** Time and randomness, which tests replace. */
export type Clock = {
  now(): number;
  /** @throws the signal's reason, once it is aborted */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
};

export type Patience = {
  /** The whole call, with every attempt and pause. */
  deadlineMs: number;
  /** The longest wait of one attempt, for its answer or for the next part of it. */
  attemptMs: number;
  signal?: AbortSignal | undefined;
};

export type SendOptions = {
  request: Request;
  requestId: string;
  /** The request only reads, so that a failure leaves nothing half done. */
  reads: boolean;
  /** Not idempotent: it is sent again only if it was certainly not carried out. */
  once: boolean;
  send: typeof fetch;
  clock: Clock;
  /** Called before every retry. */
  onRetry?: ((retry: Retry) => void) | undefined;
};

export type Retry = { requestId: string; attempt: number; because: string; pauseMs: number };

const firstPauseMs = 250;
const longestPauseMs = 8_000;

/**
 * Sends a request until it gets a final answer. Requests about operations are idempotent: a create
 * by its `merchant_operation_id`, a cancel by its first decision, a receipt and a file of payouts
 * by their bytes. After a timeout, a broken connection or a 5xx the outcome is unknown; 429 and 503
 * say when to retry.
 */
export async function repeat(sending: SendOptions, patience: Patience): Promise<Result<unknown>> {
  const { request, requestId, reads, once, send, clock, onRetry } = sending;
  const { deadlineMs, attemptMs, signal } = patience;
  const endsAt = clock.now() + deadlineMs;
  let unknown = false;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const leftMs = Math.max(1, endsAt - clock.now());
    const limits = { idleMs: Math.min(attemptMs, leftMs), totalMs: leftMs };
    const last = await exchangeOnce(request, send, { ...limits, signal });
    if (last.kind === 'answered') {
      return { ok: true, data: last.data, replayed: last.replayed, requestId, attempts: attempt };
    }
    unknown = !reads && !settles(last) && (unknown || maybeDone(last));
    const isOver = once && maybeDone(last);
    const pauseMs = isOver ? undefined : pauseAfter(last, attempt, clock.random());
    if (pauseMs === undefined || clock.now() + pauseMs >= endsAt) {
      const details = {
        requestId,
        attempts: attempt,
        outcome: unknown ? 'unknown' : 'not_done',
      } as const;
      return { ok: false, error: toFailure(last, details) };
    }
    onRetry?.({ requestId, attempt, because: failureReason(last), pauseMs });
    await clock.sleep(pauseMs, signal);
  }
}

type FailedExchange = Exclude<HttpExchange, { kind: 'answered' }>;

/** It was refused for its content, so neither this attempt nor an earlier one was carried out. */
function settles(last: FailedExchange): boolean {
  return last.kind === 'refused' && [400, 404, 412, 413, 415, 422].includes(exchangeStatus(last));
}

/** This attempt may have been carried out, or may yet be. */
function maybeDone(last: FailedExchange): boolean {
  if (last.kind === 'lost') return last.delivered;
  return last.kind === 'unexpected'
    ? last.status < 400 || last.status >= 500
    : exchangeStatus(last) >= 500;
}

/** How long to wait before the next attempt; undefined if none would help. */
function pauseAfter(last: FailedExchange, attempt: number, random: number): number | undefined {
  if (!worthRepeating(last, attempt)) return undefined;
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempt - 1, 10));
  // Clients that failed together must not retry together.
  const backoffMs = longest / 2 + (longest / 2) * random;
  return last.kind === 'lost' ? backoffMs : Math.max(last.retryAfterMs ?? 0, backoffMs);
}

function worthRepeating(last: FailedExchange, attempt: number): boolean {
  if (last.kind === 'lost') return true;
  if (last.kind === 'unexpected') return last.status >= 500;
  // An unexpected error rarely goes away by itself; an inconsistent ledger never does.
  if (last.problem.code === 'internal_error') return attempt === 1;
  return [429, 503].includes(exchangeStatus(last));
}

function toFailure(
  last: FailedExchange,
  details: Pick<Failure, 'requestId' | 'attempts' | 'outcome'>,
): Failure {
  if (last.kind === 'lost')
    return { ...details, code: 'no_answer', cause: last.cause, detail: last.detail };
  if (last.kind === 'unexpected') {
    return { ...details, code: 'unexpected_answer', status: last.status, detail: last.detail };
  }
  const { code, detail, errors = [], operation_id: operationId } = last.problem;
  return {
    ...details,
    code,
    status: exchangeStatus(last),
    detail,
    ...(code === 'invalid_request' && { errors }),
    ...(operationId !== undefined && { operationId }),
    ...(code === 'rate_limited' && { retryAfterMs: last.retryAfterMs ?? 1_000 }),
    // A test compares the codes and their fields with the OpenAPI document.
  } as Failure;
}

function exchangeStatus(last: FailedExchange): number {
  if (last.kind === 'lost') return 0;
  return last.kind === 'unexpected' ? last.status : problemStatuses[last.problem.code];
}

function failureReason(last: FailedExchange): string {
  if (last.kind === 'lost') return last.detail;
  return last.kind === 'unexpected' ? last.detail : last.problem.code;
}
