import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { openServer } from '#infra/verify/harness/loopback.ts';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';

export type Received = {
  id: string;
  body: string;
  parsed: {
    id: string;
    type: string;
    sequence: number;
    data: { operation?: Record<string, unknown> };
  };
  path: string;
  headers: IncomingMessage['headers'];
  /** Milliseconds of a monotonic clock. */
  atMs: number;
};

/** Responds to a request, or never does, or closes the connection; by default it returns 204. */
export type Answer = (received: Received, response: ServerResponse) => void;

export type Receiver = {
  url: string;
  received: Received[];
  /** Requests without a valid signature; there must be none. */
  forged: string[];
  answer: Answer;
  secret: string;
  until(count: number, timeoutMs?: number): Promise<Received[]>;
};

/** A merchant's endpoint over real HTTP, which verifies everything. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    forged: [],
    answer: (_received, response) => response.writeHead(204).end(),
    secret,
    until: async (count, timeoutMs = 20_000) => {
      await waitUntil(`${count} webhooks have come`, () => receiver.received.length >= count, {
        timeoutMs,
      });
      return receiver.received;
    },
  };
  const { url, close } = await openServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const header = (name: string) => {
        const value = request.headers[name];
        return typeof value === 'string' ? value : undefined;
      };
      const verdict = verifyWebhook({ header, body }, receiver.secret);
      if (!verdict.valid) {
        receiver.forged.push(verdict.code);
        response.writeHead(401).end();
        return;
      }
      const received: Received = {
        id: verdict.id,
        body,
        parsed: JSON.parse(body) as Received['parsed'],
        path: request.url ?? '',
        headers: request.headers,
        atMs: performance.now(),
      };
      receiver.received.push(received);
      receiver.answer(received, response);
    });
  });
  receiver.url = `${url}/hooks?shop=1`;
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
