import { type Request } from './exchange.js';
import type { Result } from './failures.js';
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
    /** One attempt. */
    attemptMs: number;
    signal?: AbortSignal | undefined;
};
export type Sending = {
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
export type Retry = {
    requestId: string;
    attempt: number;
    because: string;
    pauseMs: number;
};
/**
 * Sends a request until it gets a final answer. Requests about operations are idempotent: a create
 * by its `merchant_operation_id`, a cancel by its first decision, a receipt and a file of payouts
 * by their bytes. After a timeout, a broken connection or a 5xx the outcome is unknown; 429 and 503
 * say when to retry.
 */
export declare function repeat(sending: Sending, patience: Patience): Promise<Result<unknown>>;
