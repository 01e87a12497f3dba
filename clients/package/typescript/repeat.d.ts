import { type Request } from './exchange.js';
import type { Result } from './failures.js';
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
export type Retry = {
    requestId: string;
    attempt: number;
    because: string;
    pauseMs: number;
};
/**
 * Sends a request until it has an answer that stays: a request about operations may be repeated as
 * it is, because a create has its `merchant_operation_id`, a cancel its first decision, a receipt
 * and a file of payouts their bytes. A timeout, a broken connection and a 5xx say nothing about
 * what happened; 429 and 503 say when to come back.
 */
export declare function repeat(sending: Sending, patience: Patience): Promise<Result<unknown>>;
