import type { Dispatcher } from 'undici';
import type { CallBounds } from './connector.ts';

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** A longer answer is no answer. */
  maxAnswerBytes: number;
};

/** `contentType` without its parameters, in lower case; empty where there is none. */
export type HttpAnswer = { status: number; contentType: string; body: Buffer };

export type HttpOutcome =
  | ({ ok: true } & HttpAnswer)
  /** `fault` is for a log line: what happened, never what was sent. */
  | { ok: false; cause: 'timeout' | 'error'; fault: string };

/**
 * One call of a provider, bounded in time as a whole (connecting, waiting, reading) and in the size of its answer.
 * A redirect is an answer like any other: it is not followed. Never throws.
 */
export async function callProvider(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { timeoutMs, signal }: CallBounds,
): Promise<HttpOutcome> {
  const abort = new AbortController();
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      abort.abort();
    },
    Math.max(0, timeoutMs),
  );
  const stop = () => abort.abort();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) abort.abort();
  try {
    const { statusCode, headers, body } = await dispatcher.request({
      method: request.method,
      path: request.path,
      headers: request.headers,
      body: request.body ?? null,
      signal: abort.signal,
      // The one deadline is the caller's.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      // Leaving the loop destroys the body, and with it the connection.
      if (size > request.maxAnswerBytes)
        return { ok: false, cause: 'error', fault: `an answer over ${request.maxAnswerBytes} bytes` };
      chunks.push(chunk);
    }
    const type = String(headers['content-type'] ?? '');
    return {
      ok: true,
      status: statusCode,
      contentType: type.split(';')[0]?.trim().toLowerCase() ?? '',
      body: Buffer.concat(chunks, size),
    };
  } catch (error) {
    if (timedOut) return { ok: false, cause: 'timeout', fault: `no answer within ${timeoutMs} ms` };
    const { code, message } = error as { code?: string; message?: string };
    return { ok: false, cause: 'error', fault: code ?? message ?? 'unknown fault' };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
