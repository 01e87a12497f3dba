import { createHttpClient } from '#shared/platform/http-client/client.ts';
import { exchange } from '#shared/platform/http-client/exchange.ts';

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
  body?: string | Uint8Array;
};

const usualTimeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** Keep-alive connections, one for each request in flight. */
export function createLoadClient(
  origin: string,
  connections: number,
  timeoutMs = usualTimeoutMs,
): LoadClient {
  const client = createHttpClient(origin, { maxConnections: connections });
  return {
    send: async ({ method, path, headers, body }) => {
      const request = {
        method,
        path,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
        maxAnswerBytes,
      };
      const outcome = await exchange(client, request, { timeoutMs });
      if (!outcome.ok) throw new Error(outcome.fault);
      return { status: outcome.status, body: outcome.body.toString('utf8') };
    },
    close: () => client.close(),
  };
}

/** Work over connections that are closed when it is over. */
export async function withClient<T>(
  origin: string,
  connections: number,
  work: (client: LoadClient) => Promise<T>,
): Promise<T> {
  const client = createLoadClient(origin, connections);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
