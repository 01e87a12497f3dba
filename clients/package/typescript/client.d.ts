import { endpoints, type Answers, type Requests } from './api.js';
import type { Result } from './failures.js';
import { type Clock, type Retry } from './repeat.js';
export type EndpointId = keyof typeof endpoints;
export type ProblemsOf<Id extends EndpointId> = (typeof endpoints)[Id]['problems'][number];
export type CallOptions = {
    /**
     * Ends the call, which then rejects with the signal's reason. What was sent already may still be
     * carried out.
     */
    signal?: AbortSignal;
    /** The whole call, with every attempt and pause. */
    deadlineMs?: number;
    /** Sent as `X-Request-Id` with every attempt; letters, digits, `.`, `_` and `-`, at most 64. */
    requestId?: string;
};
type Call<Id extends EndpointId> = (...args: Requests[Id] extends undefined ? [options?: CallOptions] : [request: Requests[Id], options?: CallOptions]) => Promise<Result<Answers[Id], ProblemsOf<Id>>>;
/** One method for each endpoint that a key is for, under its name in the document. */
export type Client = {
    readonly [Id in EndpointId]: Call<Id>;
};
export type ClientOptions = {
    /** Where the gateway is: `https://gateway.example`, or `http:` on this machine. */
    baseUrl: string;
    apiKey: string;
    /** The whole of a call; 60 s. A create alone may take the 15 s that providers are waited for. */
    deadlineMs?: number;
    /** One attempt of a call; 20 s. */
    attemptMs?: number;
    /** Permits `http:` to another machine, where something else protects the key on its way. */
    allowHttp?: boolean;
    /** Called before every retry. */
    onRetry?: (retry: Retry) => void;
    /** Another `fetch`, such as one with a proxy or a pool of its own. */
    fetch?: typeof fetch;
    /** Time and randomness, for tests. */
    clock?: Clock;
};
/**
 * A client of the merchant API. A call is repeated until it has a final answer, or its deadline has
 * passed; a refusal is a value with a code.
 * @throws when the options can't work; the text never shows the key
 */
export declare function createClient(options: ClientOptions): Client;
export {};
