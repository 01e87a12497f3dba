import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';

export type Seen = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
};
export type Answer = (response: ServerResponse, seen: Seen) => void;

/** A server that gives the answers in order, repeats the last one, and records the requests. */
export async function serveAnswers(
  ...answers: readonly Answer[]
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const { url, close } = await openServer((request, response) => {
    const answer = async () => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString('utf8');
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      };
      seen.push(received);
      (answers[seen.length - 1] ?? answers.at(-1))?.(response, received);
    };
    void answer();
  });
  onTestFinished(close);
  return { url, seen };
}

/** An answer like the gateway's. */
export const json =
  (body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** An answer with any content type, or without a body. */
export const written =
  (status: number, type?: string, body?: string): Answer =>
  (response) =>
    void response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);

/** An error like the gateway's. */
export const problem =
  (
    status: number,
    code: string,
    more: { headers?: Record<string, string>; members?: object } = {},
  ): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/problem+json', ...more.headers })
      .end(JSON.stringify({ code, status, detail: `told: ${code}`, ...more.members }));

/** An error page of a proxy. */
export const html =
  (status: number): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');

/** Never responds. */
export const silence: Answer = () => undefined;

/** Breaks the connection before the answer, or within it. */
export const cut: Answer = (response) => void response.socket?.destroy();
export const cutWithin =
  (body: unknown): Answer =>
  (response) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  };
