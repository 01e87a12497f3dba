import { Pool, type Dispatcher } from 'undici';

type HttpReply = { status: number; body: string };

export type LoadClient = {
  /** One request. @throws when no answer comes */
  send(request: LoadRequest): Promise<HttpReply>;
  close(): Promise<void>;
};

export type LoadRequest = {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers?: Record<string, string>;
  body?: string;
};

/** An order to a server of the bench's own, and its answer. */
export async function postJson<T>(client: LoadClient, path: string, body: object): Promise<T> {
  const { status, body: answer } = await client.send({
    method: 'POST',
    path,
    body: JSON.stringify(body),
  });
  if (status >= 300) throw new Error(`${path} was answered with ${status} ${answer}`);
  return JSON.parse(answer) as T;
}

/** A client that costs little itself: kept-alive connections, one for each request in flight. */
export function createLoadClient(origin: string, connections: number): LoadClient {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const options: Dispatcher.DispatchOptions = {
          method: request.method,
          path: request.path,
          headers: { 'content-type': 'application/json', ...request.headers },
          body: request.body ?? null,
        };
        let status = 0;
        let body = '';
        pool.dispatch(options, {
          onRequestStart: () => undefined,
          onResponseStart: (_controller, statusCode) => {
            status = statusCode;
          },
          onResponseData: (_controller, chunk) => {
            body += chunk.toString('utf8');
          },
          onResponseEnd: () => resolve({ status, body }),
          onResponseError: (_controller, error) => reject(error),
        });
      }),
    close: () => pool.destroy(),
  };
}
