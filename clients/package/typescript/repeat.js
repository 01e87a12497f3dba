import { problemStatuses } from './api.js';
import { exchange } from './exchange.js';
const firstPauseMs = 250;
const longestPauseMs = 8_000;
/**
 * Sends a request until it gets a final answer. Requests about operations are idempotent: a create
 * by its `merchant_operation_id`, a cancel by its first decision, a receipt and a file of payouts
 * by their bytes. After a timeout, a broken connection or a 5xx the outcome is unknown; 429 and 503
 * say when to retry.
 */
export async function repeat(sending, patience) {
    const { request, requestId, reads, once, send, clock, onRetry } = sending;
    const { deadlineMs, attemptMs, signal } = patience;
    const endsAt = clock.now() + deadlineMs;
    let unknown = false;
    for (let attempt = 1;; attempt += 1) {
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
            const details = {
                requestId,
                attempts: attempt,
                outcome: unknown ? 'unknown' : 'not_done',
            };
            return { ok: false, error: failureOf(last, details) };
        }
        onRetry?.({ requestId, attempt, because: reasonOf(last), pauseMs });
        await clock.sleep(pauseMs, signal);
    }
}
/** It was refused for its content, so neither this attempt nor an earlier one was carried out. */
function settles(last) {
    return last.kind === 'refused' && [400, 404, 412, 413, 415, 422].includes(statusOf(last));
}
/** This attempt may have been carried out, or may yet be. */
function maybeDone(last) {
    if (last.kind === 'lost')
        return last.delivered;
    return last.kind === 'unexpected'
        ? last.status < 400 || last.status >= 500
        : statusOf(last) >= 500;
}
/** How long to wait before the next attempt; undefined if none would help. */
function pauseAfter(last, attempt, random) {
    if (!worthRepeating(last, attempt))
        return undefined;
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempt - 1, 10));
    // Clients that failed together must not retry together.
    const backoffMs = longest / 2 + (longest / 2) * random;
    return last.kind === 'lost' ? backoffMs : Math.max(last.retryAfterMs ?? 0, backoffMs);
}
function worthRepeating(last, attempt) {
    if (last.kind === 'lost')
        return true;
    if (last.kind === 'unexpected')
        return last.status >= 500;
    // An unexpected error rarely goes away by itself; an inconsistent ledger never does.
    if (last.problem.code === 'internal_error')
        return attempt === 1;
    return [429, 503].includes(statusOf(last));
}
function failureOf(last, details) {
    if (last.kind === 'lost')
        return { ...details, code: 'no_answer', cause: last.cause, detail: last.detail };
    if (last.kind === 'unexpected') {
        return { ...details, code: 'unexpected_answer', status: last.status, detail: last.detail };
    }
    const { code, detail, errors = [], operation_id: operationId } = last.problem;
    return {
        ...details,
        code,
        status: statusOf(last),
        detail,
        ...(code === 'invalid_request' && { errors }),
        ...(operationId !== undefined && { operationId }),
        ...(code === 'rate_limited' && { retryAfterMs: last.retryAfterMs ?? 1_000 }),
        // A test compares the codes and their fields with the OpenAPI document.
    };
}
function statusOf(last) {
    if (last.kind === 'lost')
        return 0;
    return last.kind === 'unexpected' ? last.status : problemStatuses[last.problem.code];
}
function reasonOf(last) {
    if (last.kind === 'lost')
        return last.detail;
    return last.kind === 'unexpected' ? last.detail : last.problem.code;
}
