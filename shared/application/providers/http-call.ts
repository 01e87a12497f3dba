import { setImmediate } from 'node:timers/promises';
import type { HttpClient } from '#shared/platform/http-client/client.ts';
import {
  exchange,
  type BoundedRequest,
  type HttpOutcome,
} from '#shared/platform/http-client/exchange.ts';
import type { CallBounds } from './connector.ts';

export type { HttpAnswer, HttpOutcome } from '#shared/platform/http-client/exchange.ts';

export type ProviderHttpRequest = BoundedRequest & {
  /** Whether the provider ignores a repeat of the request. */
  repeatable: boolean;
};

/**
 * One call of a provider, bounded in time as a whole (connecting, waiting, reading) and in the size
 * of its answer. A redirect is an answer like any other: it is not followed. Never throws.
 */
export async function callProvider(
  client: HttpClient,
  request: ProviderHttpRequest,
  { timeoutMs, signal }: CallBounds,
): Promise<HttpOutcome> {
  const until = performance.now() + timeoutMs;
  const outcome = await exchange(client, request, { timeoutMs, ...(signal && { signal }) });
  if (outcome.ok || !request.repeatable || !closed.has(outcome.fault)) return outcome;
  // The provider may have closed a kept-alive connection just as the request was sent. In the next
  // turn the client knows of the other connections that were closed.
  await setImmediate();
  const timeoutMsLeft = until - performance.now();
  if (timeoutMsLeft <= 0) return outcome;
  return exchange(client, request, { timeoutMs: timeoutMsLeft, ...(signal && { signal }) });
}

/** The connection was lost: the provider may or may not have the request. */
const closed: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
