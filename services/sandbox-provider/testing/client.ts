import { randomUUID } from 'node:crypto';
import { wirePaths, type WireSnapshot } from '#shared/application/providers/sandbox/wire.ts';

// The tests check the shape of each body themselves.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
type Answer = { status: number; type: string; text: string; body: Json };

/** A client of the sandbox's wire API, as the gateway, and of its control API, as a tester. */
export function createClient({ url, apiKey }: { url: string; apiKey: string }) {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    init: RequestInit = {},
  ): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...init,
    });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    return {
      status: response.status,
      type,
      text,
      body: type.includes('json') ? JSON.parse(text) : undefined,
    };
  };
  const submission = (options: object = {}, change: object = {}) => ({
    type: 'payment',
    method: 'WT_RUB_C2C',
    amount: '100.00',
    currency: 'RUB',
    client_id: 'client-1',
    options,
    ...change,
  });
  return {
    call,
    submission,
    submit: (key: string, options: object = {}, change: object = {}) =>
      call('PUT', wirePaths.attempt(key), submission(options, change)),
    /** A new operation, submitted once and accepted. */
    async accepted(
      options: object = {},
      change: object = {},
    ): Promise<{ id: string; key: string }> {
      const id = randomUUID();
      const { status, body } = await call(
        'PUT',
        wirePaths.attempt(`${id}.1`),
        submission(options, change),
      );
      if (status !== 200 || body.acceptance !== 'accepted')
        throw new Error(`not accepted: ${status}`);
      return { id, key: `${id}.1` };
    },
    look: async (key: string): Promise<WireSnapshot> =>
      (await call('GET', wirePaths.attempt(key))).body,
    resolve: (key: string) => call('POST', wirePaths.resolve(key)),
    withdraw: (key: string) => call('POST', wirePaths.withdraw(key)),
    control: (id: string, command: string, body: unknown) =>
      call('POST', `/control/operations/${id}/${command}`, body),
    history: async (id: string): Promise<Json> =>
      (await call('GET', `/control/operations/${id}`)).body,
    upload: (key: string, receiptId: string, content: string) =>
      call('PUT', wirePaths.receipt(key, receiptId), undefined, {
        body: content,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/pdf' },
      }),
  };
}
