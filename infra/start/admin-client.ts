import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

type AdminAnswer = { readonly status: number; readonly body: Record<string, unknown> };

export type AdminClient = (method: string, path: string, body?: object) => Promise<AdminAnswer>;

const bodySchema = z.record(z.string(), z.unknown());

/** Calls the admin API. Throws when it does not answer within 10 s. */
export function createAdminClient(baseUrl: string, token: string): AdminClient {
  return async (method, path, body) => {
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<AdminAnswer>();
    const signal = AbortSignal.timeout(10_000);
    request(`${baseUrl}${path}`, { method, headers, signal }, (response) => {
      text(response)
        .then((answer) => ({
          status: response.statusCode ?? 0,
          body: answer === '' ? {} : bodySchema.parse(JSON.parse(answer)),
        }))
        .then(resolve, reject);
    })
      .once('error', reject)
      .end(content);
    return promise;
  };
}
