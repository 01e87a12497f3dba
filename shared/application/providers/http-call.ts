import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { CallBounds } from './connector.ts';

export type HttpRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** A longer answer is no answer. */
  maxAnswerBytes: number;
  /** Whether the provider does nothing more when the request comes again. */
  repeatable: boolean;
};

/** `contentType` without its parameters, in lower case; empty if there is none. */
export type HttpAnswer = { status: number; contentType: string; body: Buffer };

export type HttpOutcome =
  | ({ ok: true } & HttpAnswer)
  /** `fault` is for a log line: what happened, never what was sent. */
  | { ok: false; cause: 'timeout' | 'error'; fault: string };

/**
 * One call of a provider, bounded in time as a whole (connecting, waiting, reading) and in the size
 * of its answer. A redirect is an answer like any other: it is not followed. Never throws.
 */
export async function callProvider(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { timeoutMs, signal }: CallBounds,
): Promise<HttpOutcome> {
  const until = performance.now() + timeoutMs;
  const outcome = await callOnce(dispatcher, request, { timeoutMs, ...(signal && { signal }) });
  if (outcome.ok || !request.repeatable || !closed.has(outcome.fault)) return outcome;
  // The provider may have closed a kept connection in the moment of the request. The pool hears
  // first of others that it closed.
  await setImmediate();
  const timeoutMsLeft = until - performance.now();
  if (timeoutMsLeft <= 0) return outcome;
  return callOnce(dispatcher, request, { timeoutMs: timeoutMsLeft, ...(signal && { signal }) });
}

/** That the connection is gone: the provider may or may not have the request. */
const closed: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function callOnce(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { timeoutMs, signal }: CallBounds,
): Promise<HttpOutcome> {
  const { promise, resolve } = Promise.withResolvers<HttpOutcome>();
  let over = false;
  let call: Dispatcher.DispatchController | undefined;
  const end = (outcome: HttpOutcome) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    resolve(outcome);
  };
  /** Ends the call on the wire too; one that still waits for a connection is not sent any more. */
  const giveUp = (cause: 'timeout' | 'error', fault: string) => {
    end({ ok: false, cause, fault });
    call?.abort(new Error(fault));
  };
  const stop = () => giveUp('error', 'aborted');
  const timer = setTimeout(
    () => giveUp('timeout', `no answer within ${timeoutMs} ms`),
    Math.max(0, timeoutMs),
  );
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();

  let status = 0;
  let contentType = '';
  let size = 0;
  const chunks: Buffer[] = [];
  // Straight from the parser: the stream that `request` would make of each answer costs more than
  // the answer.
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      call = controller;
      if (over) controller.abort(new Error('given up'));
    },
    onResponseStart: (_controller, statusCode, headers) => {
      if (statusCode < 200) return;
      status = statusCode;
      contentType = contentTypeOf(headers['content-type']);
    },
    onResponseData: (_controller, chunk) => {
      size += chunk.byteLength;
      if (size > request.maxAnswerBytes)
        giveUp('error', `an answer over ${request.maxAnswerBytes} bytes`);
      else chunks.push(chunk);
    },
    onResponseEnd: () => {
      const [first] = chunks;
      const body = first && chunks.length === 1 ? first : Buffer.concat(chunks, size);
      end({ ok: true, status, contentType, body });
    },
    onResponseError: (_controller, error: Error & { code?: string }) => {
      const fault = error.code ?? error.message;
      end({ ok: false, cause: 'error', fault: status === 0 ? fault : `${fault} in the answer` });
    },
  };
  try {
    dispatcher.dispatch(dispatchOptions(request), handler);
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    end({ ok: false, cause: 'error', fault: code ?? message ?? 'unknown fault' });
  }
  return promise;
}

function dispatchOptions({ method, path, headers, body }: HttpRequest): Dispatcher.DispatchOptions {
  // The one deadline is the caller's.
  return { method, path, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 };
}

function contentTypeOf(header: string | string[] | undefined): string {
  const [type = ''] = String(header ?? '').split(';', 1);
  return type.trim().toLowerCase();
}
