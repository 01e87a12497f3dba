import type { FieldError, ProblemCode } from './failures.js';
/** The fields of the gateway's errors (RFC 9457) that a client decides by. */
export type Problem = {
    code: ProblemCode;
    detail: string;
    errors?: readonly FieldError[];
    operation_id?: string;
};
/** The outcome of one attempt. */
export type Exchange = {
    kind: 'answered';
    data: unknown;
    replayed: boolean;
} | {
    kind: 'refused';
    problem: Problem;
    retryAfterMs: number | undefined;
} | {
    kind: 'unexpected';
    status: number;
    detail: string;
    retryAfterMs: number | undefined;
} | {
    kind: 'lost';
    cause: 'timeout' | 'connection';
    detail: string;
    delivered: boolean;
};
export type Request = {
    url: string;
    init: RequestInit;
    /** The status of its answer, and how that is written. */
    answers: {
        status: number;
        as: 'json' | 'csv' | 'nothing';
    };
    codes: readonly ProblemCode[];
};
/**
 * Sends a request once and reads the answer to its end, within `timeoutMs`.
 * @throws the reason of `signal`, once that is aborted; nothing else
 */
export declare function exchange(request: Request, send: typeof fetch, { timeoutMs, signal }: {
    timeoutMs: number;
    signal: AbortSignal | undefined;
}): Promise<Exchange>;
