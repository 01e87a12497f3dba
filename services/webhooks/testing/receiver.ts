import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  openWebhookEndpoint,
  type VerifiedWebhook,
} from '#infra/verify/harness/shops/webhook-endpoint.ts';

/** `atMs`: milliseconds of a monotonic clock. */
export type Received = VerifiedWebhook & { atMs: number };

/** Responds to a request, or never does, or closes the connection; by default it returns 204. */
export type Answer = (received: Received, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** Requests without a valid signature; there must be none. */
  forged: string[];
  answer: Answer;
  secret: string;
  until(count: number): Promise<Received[]>;
};

/** A merchant's endpoint over real HTTP, which verifies everything. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    forged: [],
    answer: (_received, response) => response.writeHead(204).end(),
    secret,
    until: async (count) => {
      await eventually(`${count} webhooks have come`, () => receiver.received.length >= count);
      return receiver.received;
    },
  };
  const { origin, faults, close } = await openWebhookEndpoint({
    secretOf: () => receiver.secret,
    take: (webhook, response) => {
      const received = { ...webhook, atMs: performance.now() };
      receiver.received.push(received);
      receiver.answer(received, response);
    },
  });
  receiver.forged = faults;
  receiver.url = `${origin}/hooks?shop=1`;
  onTestFinished(close);
  return receiver;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_received, response) =>
    response.writeHead(code, headers).end();

/** Responds with one after the other, and then always with the last one. */
export function respondInOrder(...answers: Answer[]): Answer {
  let turn = 0;
  return (received, response) => {
    const answer = answers[Math.min(turn, answers.length - 1)];
    turn += 1;
    answer?.(received, response);
  };
}
