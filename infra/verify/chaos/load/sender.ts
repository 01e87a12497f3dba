import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { RequestKind, Tally, StoryResponse } from './history.ts';

type Request = {
  readonly what: RequestKind;
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
};

export type LoadSender = {
  /** One try. @returns undefined if no answer came */
  once(request: Request, responses: StoryResponse[]): Promise<StoryResponse | undefined>;
  /** Repeats the request until the answer is definite, or until `until`. @returns undefined then */
  forSure(request: Request, responses: StoryResponse[]): Promise<StoryResponse | undefined>;
};

/**
 * Longer than any wait of a gateway whose stores return, and than the supervisor tolerates a frozen
 * process.
 */
const patienceMs = 45_000;
/** An operator's request is repeated until it is answered, whatever was answered before. */
const byOperator: ReadonlySet<RequestKind> = new Set(['review', 'adjust']);
const pauseMs = { least: 100, most: 700 };

/** Sends requests and records the answers. `until` is a time by `performance.now()`. */
export function createSender(given: {
  tally: Tally;
  random: Random;
  until(): number;
  onHang(request: Request): void;
  /** A server error that is not retryable. */
  onFailure(answer: StoryResponse): void;
}): LoadSender {
  const { tally, random, until, onHang, onFailure } = given;
  const once: LoadSender['once'] = async (request, responses) => {
    const { what, url, method = 'POST', headers = {}, body } = request;
    const form = body instanceof FormData;
    const sentMs = performance.now();
    try {
      const response = await fetch(url, {
        method,
        headers: { ...(body && !form && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: form ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(patienceMs),
        redirect: 'manual',
      });
      const text = await response.text();
      const json = response.headers.get('content-type')?.includes('json') ?? false;
      const answer: StoryResponse = {
        what,
        sentMs,
        receivedMs: performance.now(),
        status: response.status,
        body: json ? parse(text) : { text },
      };
      tally.add(
        [what, answer.status, answer.status >= 400 ? answer.body.code : ''].join(' ').trim(),
      );
      const comeBack = response.status === 503 && response.headers.has('retry-after');
      if (answer.status >= 500 && !comeBack && !byOperator.has(what)) onFailure(answer);
      responses.push(answer);
      return answer;
    } catch (error) {
      const late = (error as Error).name === 'TimeoutError';
      if (late) onHang(request);
      tally.add(`${what} ${late ? 'no answer in time' : 'connection lost'}`);
      return undefined;
    }
  };
  return {
    once,
    forSure: async (request, responses) => {
      while (performance.now() < until()) {
        const answer = await once(request, responses);
        if (answer && answer.status < 500 && answer.status !== 429) return answer;
        await delay(random.between(pauseMs.least, pauseMs.most));
      }
      return undefined;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { code: 'not JSON', text };
  }
}
