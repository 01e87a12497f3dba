import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Seen = {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
};
export type Answer = (response: ServerResponse, seen: Seen) => void;

/**
 * A server that gives one answer after the other, the last one for good, and keeps what it was
 * asked.
 */
export async function serveAnswers(
  ...answers: readonly Answer[]
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const body = Buffer.concat((await request.toArray()) as Buffer[]).toString('utf8');
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      };
      seen.push(asked);
      (answers[seen.length - 1] ?? answers.at(-1))?.(response, asked);
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** An answer as the gateway gives it. */
export const json =
  (body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** An answer that is written in another way, or not at all. */
export const written =
  (status: number, type?: string, body?: string): Answer =>
  (response) =>
    void response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);

/** An error as the gateway gives it. */
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

/** An error as something on the way gives it. */
export const html =
  (status: number): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');

/** Nothing, for good. */
export const silence: Answer = () => undefined;

/** The connection breaks: before the answer, or within it. */
export const cut: Answer = (response) => void response.socket?.destroy();
export const cutWithin =
  (body: unknown): Answer =>
  (response) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
  };
