import { problemStatuses } from './api.ts';
import type { FieldError, ProblemCode } from './failures.ts';
import { parseExact } from './parse-exact.ts';

/** The fields of the gateway's errors (RFC 9457) that a client decides by. */
export type Problem = {
  code: ProblemCode;
  detail: string;
  errors?: readonly FieldError[];
  operation_id?: string;
};

/** The outcome of one attempt. */
export type HttpExchange =
  | { kind: 'answered'; data: unknown; replayed: boolean }
  | { kind: 'refused'; problem: Problem; retryAfterMs: number | undefined }
  | { kind: 'unexpected'; status: number; detail: string; retryAfterMs: number | undefined }
  | { kind: 'lost'; cause: 'timeout' | 'connection'; detail: string; delivered: boolean };

export type Request = {
  url: string;
  init: RequestInit;
  /** The status of its answer, and how that is written. */
  answers: { status: number; as: 'json' | 'csv' | 'nothing' };
  codes: readonly ProblemCode[];
};

/** Errors of connections that were never made, so that nothing was sent. */
const neverDelivered = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** A timer for more would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

type Limits = {
  /** For the answer to begin, and then for each further part of it. */
  idleMs: number;
  /** For all of it. */
  totalMs: number;
};

/**
 * Sends a request once and reads the answer to its end, within the limits.
 * @throws the reason of `signal`, once that is aborted; nothing else
 */
export async function exchangeOnce(
  request: Request,
  send: typeof fetch,
  { signal, ...limits }: Limits & { signal: AbortSignal | undefined },
): Promise<HttpExchange> {
  const timeout = startTimeout(limits);
  try {
    const response = await send(request.url, {
      ...request.init,
      // The gateway never redirects: the key must not be sent to another host.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    });
    timeout.restart();
    return read(response, await readBodyText(response, timeout.restart), request);
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.signal.aborted) {
      const detail = String(timeout.signal.reason);
      return { kind: 'lost', cause: 'timeout', detail, delivered: true };
    }
    const code = readCauseCode(error);
    const detail = code === undefined ? 'the connection broke' : `the connection failed: ${code}`;
    return {
      kind: 'lost',
      cause: 'connection',
      detail,
      delivered: !neverDelivered.has(code ?? ''),
    };
  } finally {
    timeout.stop();
  }
}

/** A signal that is aborted once a limit is exceeded; its reason is the text to report. */
function startTimeout({ idleMs, totalMs }: Limits) {
  const controller = new AbortController();
  const startTimer = (ms: number, detail: string) =>
    setTimeout(() => controller.abort(detail), Math.min(ms, longestTimerMs));
  const startIdle = () => startTimer(idleMs, `nothing received within ${Math.ceil(idleMs)} ms`);
  const total = startTimer(totalMs, `no complete answer within ${Math.ceil(totalMs)} ms`);
  let idle = startIdle();
  return {
    signal: controller.signal,
    restart: () => {
      clearTimeout(idle);
      idle = startIdle();
    },
    stop: () => {
      clearTimeout(idle);
      clearTimeout(total);
    },
  };
}

/** The body as text; `onPart` is called after each part of it. */
async function readBodyText({ body }: Response, onPart: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body ?? []) {
    onPart();
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function read(response: Response, text: string, { answers, codes }: Request): HttpExchange {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const replayed = headers.get('idempotent-replayed') === 'true';
  const isAnswer = status === answers.status;
  if (isAnswer && answers.as === 'nothing') return { kind: 'answered', data: undefined, replayed };
  if (isAnswer && answers.as === 'csv' && type.startsWith('text/csv'))
    return { kind: 'answered', data: text, replayed };
  const body = parseExact(text);
  if (isAnswer && body !== undefined && type.startsWith('application/json'))
    return { kind: 'answered', data: body, replayed };
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'));
  if (type.startsWith('application/problem+json') && isProblem(body, { status, codes })) {
    return { kind: 'refused', problem: body, retryAfterMs };
  }
  const { detail } = (body ?? {}) as { detail?: unknown };
  const meaning =
    type.startsWith('application/problem+json') && typeof detail === 'string' ? `: ${detail}` : '';
  return {
    kind: 'unexpected',
    status,
    detail: `an answer with status ${status} that is none of this endpoint's${meaning}`,
    retryAfterMs,
  };
}

function isProblem(
  body: unknown,
  { status, codes }: { status: number; codes: readonly ProblemCode[] },
): body is Problem {
  const { code } = (body ?? {}) as Partial<Problem>;
  return code !== undefined && codes.includes(code) && problemStatuses[code] === status;
}

/** The gateway sends seconds; a date, which a proxy may send, is ignored for the backoff. */
function parseRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function readCauseCode(error: unknown): string | undefined {
  const { cause } = (error ?? {}) as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : undefined;
}
