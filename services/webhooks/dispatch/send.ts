import type { Dispatcher } from 'undici';
import { signedHeaders } from '#shared/webhooks/sign.ts';
import { DestinationRefused, refuseUrl } from './guard.ts';
import type { Pools } from './pools.ts';
import type { AttemptFacts } from './record-attempts.ts';
import { parseRetryAfter } from './schedule.ts';

export type Delivery = {
  messageId: string;
  body: string;
  url: string;
  /** All that sign now, the newest first. */
  secrets: readonly string[];
};

export type SendOptions = {
  pools: Pools;
  allowPrivate: boolean;
  deadlineMs?: number;
};

export type Sent = {
  facts: AttemptFacts;
  success: boolean;
  /** The endpoint answered 410: it wants nothing any more. */
  gone: boolean;
  retryAfterMs: number | undefined;
};

/** From the beginning of an attempt to its answer, connecting and all (contract §5). */
export const attemptDeadlineMs = 15_000;
/** What is kept of an answer, and what is read of it before the connection is given up. */
const keptBytes = 1_024;
const maxAnswerBytes = 64 * 1_024;

/**
 * Makes one attempt. Never throws for what an endpoint does: every failure is an attempt with an error in words, which
 * tell nothing of addresses inside. `aborted` when the signal cut it off.
 */
export async function send(
  delivery: Delivery,
  options: SendOptions,
  signal: AbortSignal,
): Promise<Sent | 'aborted'> {
  const { deadlineMs = attemptDeadlineMs } = options;
  const startedAt = new Date();
  const started = performance.now();
  const cut = new AbortController();
  const abort = () => cut.abort();
  signal.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(abort, deadlineMs);
  const facts = (more: Pick<AttemptFacts, 'statusCode' | 'answer' | 'error'>): AttemptFacts => ({
    startedAt,
    durationMs: Math.round(performance.now() - started),
    url: delivery.url.replaceAll('\0', ''),
    ...more,
  });
  const failed = (error: string): Sent => ({
    facts: facts({ statusCode: null, answer: null, error }),
    success: false,
    gone: false,
    retryAfterMs: undefined,
  });
  try {
    const refusal = refuseUrl(delivery.url, options);
    if (refusal !== undefined) return failed(new DestinationRefused(refusal).message);
    const url = new URL(delivery.url);
    return await options.pools.use(url.origin, async (pool) => {
      const timestampS = Math.floor(startedAt.getTime() / 1000);
      const { messageId: id, body } = delivery;
      const response = await pool.request({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'payment-gateway-webhooks/1',
          ...signedHeaders({ id, timestampS, body }, delivery.secrets),
        },
        body,
        signal: cut.signal,
      });
      const { statusCode, headers } = response;
      const success = statusCode >= 200 && statusCode < 300;
      // The status decides; an answer that breaks off after it changes nothing.
      const answer = await drain(response.body);
      if (signal.aborted && !success) return 'aborted';
      const retryAfter = headers['retry-after'];
      return {
        facts: facts({ statusCode, answer, error: success ? null : complaint(statusCode) }),
        success,
        gone: statusCode === 410,
        retryAfterMs: success
          ? undefined
          : parseRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now()),
      };
    });
  } catch (error) {
    if (signal.aborted) return 'aborted';
    return failed(cut.signal.aborted ? `no answer within ${deadlineMs / 1000} s` : inWords(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Reads an answer to its end or its bound; what was read of its first KiB, as text that PostgreSQL takes. */
async function drain(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (size < keptBytes) kept.push(chunk.subarray(0, keptBytes - size));
      size += chunk.length;
      // Leaving the loop destroys the stream, and with it the connection.
      if (size > maxAnswerBytes) break;
    }
  } catch {
    // Cut off, by the endpoint or by the deadline.
  }
  // In streaming mode a character that the bound has cut in two is left out.
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true }).replaceAll('\0', '\u{FFFD}');
}

function complaint(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? 'redirects are not followed'
    : `the endpoint answered ${statusCode}`;
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  ENODATA: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve for now',
  ETIMEOUT: 'the name server does not answer',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'the host can not be reached',
  ENETUNREACH: 'the network can not be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too many headers',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is of another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not one to trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not one to trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not one to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not one to trust',
};

function inWords(error: unknown): string {
  if (error instanceof DestinationRefused) return error.message;
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, name } = cause as { code?: unknown; name?: unknown };
  const label = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
  return words[label] ?? `the request failed (${label.slice(0, 64)})`;
}
