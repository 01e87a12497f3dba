import { createHttpClient } from '#shared/platform/http-client/client.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { CallBounds } from '../connector.ts';
import { callProvider, type HttpAnswer, type ProviderHttpRequest } from '../http-call.ts';

export type AccessSettings = { url: string; apiKey: string; logger: Logger };

type Request = Pick<ProviderHttpRequest, 'method' | 'path'> & { key: string } & Partial<
    Pick<ProviderHttpRequest, 'body' | 'maxAnswerBytes'> & { contentType: string }
  >;

type CallFailure = { ok: false; cause: 'timeout' | 'error' };

/** One call; `read` decodes its response, or returns why it is invalid. */
export type SandboxCall = <Answer extends { ok: true }>(
  request: Request,
  read: (answer: HttpAnswer, key: string) => Answer | { fault: string },
  bounds: CallBounds,
) => Promise<Answer | CallFailure>;

const defaultMaxAnswerBytes = 256 * 1024;
/** The most connections: each call that hangs holds one. */
const maxConnections = 512;

/** The sandbox's API with one key. */
export function openAccess({ url, apiKey, logger }: AccessSettings): {
  call: SandboxCall;
  close(): Promise<void>;
} {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, '');
  const client = createHttpClient(origin, { maxConnections });
  const authorization = `Bearer ${apiKey}`;

  const call: SandboxCall = async ({ key, ...request }, read, bounds) => {
    const { method, path, contentType = 'application/json', ...rest } = request;
    const headers = {
      authorization,
      accept: '*/*',
      ...(rest.body && { 'content-type': contentType }),
    };
    const outcome = await callProvider(
      client,
      {
        maxAnswerBytes: defaultMaxAnswerBytes,
        // Every request has an idempotency key.
        repeatable: true,
        ...rest,
        method,
        path: `${prefix}${path}`,
        headers,
      },
      bounds,
    );
    const answer = outcome.ok ? read(outcome, key) : outcome;
    if (!('fault' in answer)) return answer;
    logger.warn({ provider: 'sandbox', key, fault: answer.fault }, 'no response from the provider');
    return { ok: false, cause: outcome.ok ? 'error' : outcome.cause };
  };
  return { call, close: () => client.close() };
}
