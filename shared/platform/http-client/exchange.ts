import type { HttpClient, HttpRequest } from './client.ts';

type Bounds = { timeoutMs: number; signal?: AbortSignal };

/** A longer answer is no answer. */
export type BoundedRequest = HttpRequest & { maxAnswerBytes: number };

/** `contentType` without its parameters, in lower case; empty if there is none. */
export type HttpAnswer = { status: number; contentType: string; body: Buffer<ArrayBuffer> };

export type HttpOutcome =
  | ({ ok: true } & HttpAnswer)
  /** `fault` is for a log line: what happened, never what was sent. */
  | { ok: false; cause: 'timeout' | 'error'; fault: string };

/**
 * One request, bounded in time as a whole (connecting, waiting, reading) and in the size of its
 * answer. A redirect is an answer like any other: it is not followed. Never throws.
 */
export function exchange(
  client: HttpClient,
  request: BoundedRequest,
  { timeoutMs, signal }: Bounds,
): Promise<HttpOutcome> {
  if (signal?.aborted) return Promise.resolve({ ok: false, cause: 'error', fault: 'aborted' });
  const { promise, resolve } = Promise.withResolvers<HttpOutcome>();
  let over = false;
  let stop: (() => void) | undefined;
  const end = (outcome: HttpOutcome) => {
    over = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    resolve(outcome);
  };
  /** Ends it on the wire too; one that still waits for a connection is not sent any more. */
  const giveUp = (cause: 'timeout' | 'error', fault: string) => {
    stop?.();
    end({ ok: false, cause, fault });
  };
  const abort = () => giveUp('error', 'aborted');
  const timer = setTimeout(
    () => giveUp('timeout', `no answer within ${timeoutMs} ms`),
    Math.max(0, timeoutMs),
  );
  signal?.addEventListener('abort', abort, { once: true });

  let status = 0;
  let contentType = '';
  let size = 0;
  const chunks: Buffer[] = [];
  stop = client.send(request, {
    onStatus: (statusCode, headers) => {
      status = statusCode;
      contentType = parseContentType(headers['content-type']);
    },
    onData: (chunk) => {
      size += chunk.byteLength;
      if (size > request.maxAnswerBytes)
        giveUp('error', `an answer over ${request.maxAnswerBytes} bytes`);
      else chunks.push(chunk);
    },
    onEnd: () => end({ ok: true, status, contentType, body: Buffer.concat(chunks, size) }),
    onError: (error: Error & { code?: string }) => {
      const fault = error.code ?? error.message;
      end({ ok: false, cause: 'error', fault: status === 0 ? fault : `${fault} in the answer` });
    },
  });
  // It may be given up before it is known how to stop it.
  if (over) stop();
  return promise;
}

function parseContentType(header: string | undefined): string {
  const [type = ''] = (header ?? '').split(';', 1);
  return type.trim().toLowerCase();
}
