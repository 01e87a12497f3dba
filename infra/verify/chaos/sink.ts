import type { ServerResponse } from 'node:http';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import { openWebhookEndpoint } from '#infra/verify/harness/shops/webhook-endpoint.ts';

/** One received webhook. Moments number what happens at the sink. */
export type WebhookArrival = {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly operationId: string;
  readonly operation: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly arrivedAt: number;
  /** By `performance.now()`. */
  readonly arrivedAtMs: number;
  /** The age of its event, milliseconds. */
  readonly lateMs: number;
  /**
   * When 2xx was answered. From then on the merchant has it, whether or not the answer was read.
   */
  takenAt: number | undefined;
};

export type Sink = Awaited<ReturnType<typeof openSink>>;

/**
 * The share of failures, and the longest delay of an answer, so that something is always pending.
 */
type SinkTemper = { readonly failureIn: number; readonly slowestAnswerMs: number };

/** The endpoints of all shops: they accept only verified webhooks, and refuse some at random. */
export async function openSink(random: Random, { failureIn, slowestAnswerMs }: SinkTemper) {
  const arrivals: WebhookArrival[] = [];
  const secrets = new Map<string, string>();
  const waiting = new Set<ServerResponse>();
  let holding = false;
  let clock = 0;
  const endpoint = await openWebhookEndpoint({
    secretOf: (path) => secrets.get(path),
    take: ({ id, body, message: { type, sequence, timestamp, data } }, response) => {
      const arrival: WebhookArrival = {
        id,
        type,
        sequence,
        operationId: data.operation?.operation_id ?? '',
        operation: data.operation ?? {},
        body,
        arrivedAt: (clock += 1),
        arrivedAtMs: performance.now(),
        lateMs: Date.now() - Date.parse(timestamp),
        takenAt: undefined,
      };
      arrivals.push(arrival);
      if (holding) return void waiting.add(response);
      const taken = random.below(failureIn) > 0;
      setTimeout(() => {
        if (taken) arrival.takenAt = clock += 1;
        response.writeHead(taken ? 204 : 500).end();
      }, random.below(slowestAnswerMs));
    },
  });
  return {
    /** The endpoint of a shop. */
    urlOf: (shop: number) => `${endpoint.origin}/${shop}`,
    setSecret: (shop: number, secret: string) => void secrets.set(`/${shop}`, secret),
    arrivals,
    faults: endpoint.faults,
    /** `true`: it stops answering; `false`: it drops waiting requests and answers again. */
    hold: (held: boolean) => {
      holding = held;
      if (held) return;
      for (const response of waiting) response.socket?.destroy();
      waiting.clear();
    },
    /** Requests that wait while it holds. */
    held: () => waiting.size,
    close: endpoint.close,
  };
}
