import type { Dispatcher } from 'undici';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { createAnswer } from './answer.ts';
import { createDeadlines } from '../pace/deadlines.ts';
import { createDestinations } from './destination.ts';
import { complaint, inWords } from './in-words.ts';
import type { Pools } from './pools.ts';
import type { AttemptFacts } from '../queue/record-attempts.ts';
import { parseRetryAfter } from '../pace/schedule.ts';

export type Delivery = {
  messageId: string;
  body: string;
  url: string;
  /** All that sign now, the newest first. */
  secrets: readonly string[];
};

export type Sent = {
  facts: AttemptFacts;
  success: boolean;
  /** The endpoint answered 410: it wants nothing any more. */
  gone: boolean;
  retryAfterMs: number | undefined;
};

/**
 * Makes one attempt. Never rejects for what an endpoint does: every failure is an attempt with an error in words, which
 * tell nothing of addresses inside. `aborted` when the signal cut it off.
 */
export type Send = (delivery: Delivery) => Promise<Sent | 'aborted'>;

/** From the beginning of an attempt to its answer, connecting and all (R14.6). */
export const attemptDeadlineMs = 15_000;

const fixedHeaders = ['content-type', 'application/json', 'user-agent', 'payment-gateway-webhooks/1'];

/** @param signal cuts off all that is under way, and all that comes after it */
export function createSend(
  { pools, allowPrivate, deadlineMs }: { pools: Pools; allowPrivate: boolean; deadlineMs: number },
  signal: AbortSignal,
): Send {
  const destinationOf = createDestinations({ allowPrivate });
  const deadlines = createDeadlines(deadlineMs);
  signal.addEventListener('abort', () => deadlines.endAll(), { once: true });

  return (delivery) => {
    if (signal.aborted) return Promise.resolve('aborted');
    const { promise, resolve } = Promise.withResolvers<Sent | 'aborted'>();
    const startedAt = new Date();
    const started = performance.now();
    const sent = (
      about: Pick<AttemptFacts, 'statusCode' | 'answer' | 'error'>,
      more: Partial<Sent> = {},
    ): Sent => ({
      success: false,
      gone: false,
      retryAfterMs: undefined,
      ...more,
      facts: {
        startedAt,
        durationMs: Math.round(performance.now() - started),
        url: delivery.url.replaceAll('\0', ''),
        ...about,
      },
    });
    const failed = (error: string) => sent({ statusCode: null, answer: null, error });
    const destination = destinationOf(delivery.url);
    if ('refusal' in destination) {
      resolve(failed(destination.refusal));
      return promise;
    }
    let headers: string[];
    try {
      headers = headersOf(delivery, Math.floor(startedAt.getTime() / 1000));
    } catch (error) {
      resolve(failed(inWords(error)));
      return promise;
    }

    let statusCode = 0;
    let retryAfter: string | string[] | undefined;
    let request: Dispatcher.DispatchController | undefined;
    let over = false;
    const answer = createAnswer();
    const finish = (result: Sent | 'aborted') => {
      over = true;
      release();
      inTime();
      resolve(result);
    };
    /** The status decides; an answer that breaks off after it changes nothing. */
    const answered = () => {
      const success = statusCode >= 200 && statusCode < 300;
      const [after] = Array.isArray(retryAfter) ? retryAfter : [retryAfter];
      return sent(
        { statusCode, answer: answer.text(), error: success ? null : complaint(statusCode) },
        {
          success,
          gone: statusCode === 410,
          retryAfterMs: success ? undefined : parseRetryAfter(after, Date.now()),
        },
      );
    };
    const cut = () => {
      const result = statusCode > 0 ? answered() : failed(`no answer within ${deadlineMs / 1000} s`);
      finish(signal.aborted && !result.success ? 'aborted' : result);
      request?.abort(new Error('cut off'));
    };
    const inTime = deadlines.begin(cut);
    const { pool, release } = pools.lend(destination.origin);
    pool.dispatch(
      { method: 'POST', path: destination.path, headers, body: delivery.body },
      {
        onRequestStart: (controller) => {
          request = controller;
          // Cut off before there was a connection.
          if (over) controller.abort(new Error('cut off'));
        },
        onResponseStart: (_controller, status, answerHeaders) => {
          // What comes before the answer is none.
          if (status < 200) return;
          statusCode = status;
          retryAfter = answerHeaders['retry-after'];
        },
        onResponseData: (controller, chunk) => {
          if (over || answer.add(chunk)) return;
          finish(answered());
          controller.abort(new Error('too much of an answer'));
        },
        onResponseEnd: () => !over && finish(answered()),
        onResponseError: (_controller, error) => {
          if (!over) finish(statusCode > 0 ? answered() : failed(inWords(error)));
        },
      },
    );
    return promise;
  };
}

function headersOf({ messageId: id, body, secrets }: Delivery, timestampS: number): string[] {
  return [...fixedHeaders, ...Object.entries(signedHeaders({ id, timestampS, body }, secrets)).flat()];
}
