import type { IncomingHttpHeaders } from 'node:http';
import type { ResponseHandler } from '#shared/platform/http-client/client.ts';
import { signedHeaders } from '#shared/application/webhooks/sign.ts';
import { createAnswer } from './answer.ts';
import { createDestinations } from './destination.ts';
import { noAnswer } from '#shared/application/webhooks/attempt-errors.ts';
import { describeErrorStatus, describeSendError } from './error-text.ts';
import type { Pools } from './pools.ts';
import type { DeliveryFacts } from '../queue/record-attempts.ts';
import { parseRetryAfter } from '../pace/schedule.ts';

type Delivery = {
  messageId: string;
  body: string;
  url: string;
  /** All secrets that sign now, the newest first. */
  secrets: readonly string[];
};

export type SendResult = {
  facts: DeliveryFacts;
  success: boolean;
  /** The endpoint answered 410: it wants no more webhooks. */
  endpointGone: boolean;
  retryAfterMs: number | undefined;
};

/**
 * Makes one attempt. Never rejects because of an endpoint: every failure is an attempt with an
 * error text, which reveals no internal addresses. `aborted` if the signal ended it.
 */
export type Send = (delivery: Delivery) => Promise<SendResult | 'aborted'>;

/** From the start of an attempt to its answer, including the connection (R14.6). */
export const attemptDeadlineMs = 15_000;

const fixedHeaders = {
  'content-type': 'application/json',
  'user-agent': 'payment-gateway-webhooks/1',
};

/** @param signal aborts attempts in progress, and all later ones */
export function createSend(
  { pools, allowPrivate, deadlineMs }: { pools: Pools; allowPrivate: boolean; deadlineMs: number },
  signal: AbortSignal,
): Send {
  const destinationOf = createDestinations({ allowPrivate });
  const open = new Set<Attempt>();
  const gateway = { pools, open, deadlineMs, signal };
  const cutOffAll = () => {
    for (const attempt of open) attempt.cutOff();
  };
  signal.addEventListener('abort', cutOffAll, { once: true });

  return (delivery) => {
    if (signal.aborted) return Promise.resolve('aborted');
    const attempt = new Attempt(delivery, gateway);
    const destination = destinationOf(delivery.url);
    if ('refusal' in destination) return Promise.resolve(attempt.failed(destination.refusal));
    let headers: Record<string, string>;
    try {
      headers = buildHeaders(delivery, attempt.startedAtS());
    } catch (error) {
      return Promise.resolve(attempt.failed(describeSendError(error)));
    }
    return attempt.make(destination, headers);
  };
}

type Gateway = { pools: Pools; open: Set<Attempt>; deadlineMs: number; signal: AbortSignal };
type About = Pick<DeliveryFacts, 'statusCode' | 'answer' | 'error'>;

/**
 * One request to an endpoint: over with its answer, its failure or its deadline, whichever is
 * first.
 */
class Attempt implements ResponseHandler {
  readonly #delivery: Delivery;
  readonly #gateway: Gateway;
  readonly #startedAt = new Date();
  readonly #started = performance.now();
  readonly #answer = createAnswer();
  readonly #done = Promise.withResolvers<SendResult | 'aborted'>();
  #statusCode = 0;
  #retryAfter: string | undefined;
  #stopRequest: () => void = () => undefined;
  #release: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(delivery: Delivery, gateway: Gateway) {
    this.#delivery = delivery;
    this.#gateway = gateway;
  }

  startedAtS(): number {
    return Math.floor(this.#startedAt.getTime() / 1000);
  }

  make(
    { origin, path }: { origin: string; path: string },
    headers: Record<string, string>,
  ): Promise<SendResult | 'aborted'> {
    const { pools, open, deadlineMs } = this.#gateway;
    open.add(this);
    this.#timer = setTimeout(() => this.cutOff(), deadlineMs);
    const { client, release } = pools.lend(origin);
    this.#release = release;
    const request = { method: 'POST', path, headers, body: this.#delivery.body } as const;
    this.#stopRequest = client.send(request, this);
    return this.#done.promise;
  }

  failed(error: string): SendResult {
    return this.#sent({ statusCode: null, answer: null, error });
  }

  onStatus(status: number, headers: IncomingHttpHeaders): void {
    this.#statusCode = status;
    this.#retryAfter = headers['retry-after'];
  }

  onData(chunk: Buffer): void {
    if (this.#answer.add(chunk)) return;
    this.#finish(this.#answered());
    this.#stopRequest();
  }

  onEnd(): void {
    this.#finish(this.#answered());
  }

  onError(error: Error): void {
    this.#finish(this.#statusCode > 0 ? this.#answered() : this.failed(describeSendError(error)));
  }

  /** Ends it at its deadline, or because the signal aborts. */
  cutOff(): void {
    const { deadlineMs, signal } = this.#gateway;
    const result =
      this.#statusCode > 0 ? this.#answered() : this.failed(noAnswer(deadlineMs / 1000).en);
    this.#finish(signal.aborted && !result.success ? 'aborted' : result);
    this.#stopRequest();
  }

  #finish(result: SendResult | 'aborted'): void {
    this.#release();
    clearTimeout(this.#timer);
    this.#gateway.open.delete(this);
    this.#done.resolve(result);
  }

  /** The status decides, even if the body breaks off. */
  #answered(): SendResult {
    const statusCode = this.#statusCode;
    const success = statusCode >= 200 && statusCode < 300;
    return this.#sent(
      {
        statusCode,
        answer: this.#answer.text(),
        error: success ? null : describeErrorStatus(statusCode),
      },
      {
        success,
        endpointGone: statusCode === 410,
        retryAfterMs: success ? undefined : parseRetryAfter(this.#retryAfter, Date.now()),
      },
    );
  }

  #sent(about: About, extra: Partial<SendResult> = {}): SendResult {
    return {
      success: false,
      endpointGone: false,
      retryAfterMs: undefined,
      ...extra,
      facts: {
        startedAt: this.#startedAt,
        durationMs: Math.round(performance.now() - this.#started),
        url: this.#delivery.url.replaceAll('\0', ''),
        ...about,
      },
    };
  }
}

function buildHeaders(
  { messageId: id, body, secrets }: Delivery,
  timestampS: number,
): Record<string, string> {
  return { ...fixedHeaders, ...signedHeaders({ id, timestampS, body }, secrets) };
}
