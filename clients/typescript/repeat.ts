import { problemStatuses } from './api.ts';
import { exchange, type Exchange, type Request } from './exchange.ts';
import type { Failure, Result } from './failures.ts';

/** Time and chance; a test brings its own. */
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
  /** One attempt. */
  attemptMs: number;
  signal?: AbortSignal | undefined;
};

export type Sending = {
  request: Request;
  requestId: string;
  /** It changes nothing, so that nothing of it can be half done. */
  reads: boolean;
  /** Done twice it is another change: it is sent again only where it was not carried out. */
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
 * Sends a request until it has an answer that stays: a request about operations may be repeated as
 * it is, because a create has its `merchant_operation_id`, a cancel its first decision, a receipt
 * and a file of payouts their bytes. A timeout, a broken connection and a 5xx say nothing about
 * what happened; 429 and 503 say when to come back.
 */
export async function repeat(sending: Sending, patience: Patience): Promise<Result<unknown>> {
  const { request, requestId, reads, once, send, clock, onRetry } = sending;
  const { deadlineMs, attemptMs, signal } = patience;
  const endsAt = clock.now() + deadlineMs;
  let unknown = false;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const leftMs = Math.max(1, endsAt - clock.now());
    const last = await exchange(request, send, { timeoutMs: Math.min(attemptMs, leftMs), signal });
    if (last.kind === 'answered') {
      return { ok: true, data: last.data, replayed: last.replayed, requestId, attempts: attempt };
    }
    unknown = !reads && !settles(last) && (unknown || maybeDone(last));
    const isOver = once && maybeDone(last);
    const pauseMs = isOver ? undefined : pauseAfter(last, attempt, clock.random());
    if (pauseMs === undefined || clock.now() + pauseMs >= endsAt) {
      const told = {
        requestId,
        attempts: attempt,
        outcome: unknown ? 'unknown' : 'not_done',
      } as const;
      return { ok: false, error: failureOf(last, told) };
    }
    onRetry?.({ requestId, attempt, because: reasonOf(last), pauseMs });
    await clock.sleep(pauseMs, signal);
  }
}

type Failed = Exclude<Exchange, { kind: 'answered' }>;

/** The request was judged by what it holds: it was not done, and no earlier attempt with it was. */
function settles(last: Failed): boolean {
  return last.kind === 'refused' && [400, 404, 412, 413, 415, 422].includes(statusOf(last));
}

/** This attempt may have been carried out, or may yet be. */
function maybeDone(last: Failed): boolean {
  if (last.kind === 'lost') return last.delivered;
  return last.kind === 'unexpected'
    ? last.status < 400 || last.status >= 500
    : statusOf(last) >= 500;
}

/** How long to wait before the next attempt; undefined if none would help. */
function pauseAfter(last: Failed, attempt: number, random: number): number | undefined {
  if (!worthRepeating(last, attempt)) return undefined;
  const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempt - 1, 10));
  // Clients that failed together must not come back together.
  const backoffMs = longest / 2 + (longest / 2) * random;
  return last.kind === 'lost' ? backoffMs : Math.max(last.retryAfterMs ?? 0, backoffMs);
}

function worthRepeating(last: Failed, attempt: number): boolean {
  if (last.kind === 'lost') return true;
  if (last.kind === 'unexpected') return last.status >= 500;
  // What the gateway did not foresee rarely goes away by itself; books that don't add up never do.
  if (last.problem.code === 'internal_error') return attempt === 1;
  return [429, 503].includes(statusOf(last));
}

function failureOf(
  last: Failed,
  told: Pick<Failure, 'requestId' | 'attempts' | 'outcome'>,
): Failure {
  if (last.kind === 'lost')
    return { ...told, code: 'no_answer', cause: last.cause, detail: last.detail };
  if (last.kind === 'unexpected') {
    return { ...told, code: 'unexpected_answer', status: last.status, detail: last.detail };
  }
  const { code, detail, errors = [], operation_id: operationId } = last.problem;
  return {
    ...told,
    code,
    status: statusOf(last),
    detail,
    ...(code === 'invalid_request' && { errors }),
    ...(operationId !== undefined && { operationId }),
    ...(code === 'rate_limited' && { retryAfterMs: last.retryAfterMs ?? 1_000 }),
    // A test compares the codes and their fields with the OpenAPI document.
  } as Failure;
}

function statusOf(last: Failed): number {
  if (last.kind === 'lost') return 0;
  return last.kind === 'unexpected' ? last.status : problemStatuses[last.problem.code];
}

function reasonOf(last: Failed): string {
  if (last.kind === 'lost') return last.detail;
  return last.kind === 'unexpected' ? last.detail : last.problem.code;
}
