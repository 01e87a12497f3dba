import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findFreePort } from '#infra/process/free-port.ts';
import { createClient, type Client, type ClientOptions } from './client.ts';
import { GatewayError, orThrow, type Refusal } from './failures.ts';
import {
  cut,
  cutWithin,
  html,
  json,
  problem,
  serveAnswers,
  silence,
  written,
  type Answer,
} from './testing/answers.ts';
import { stoppedClock } from './testing/clock.ts';
import { fetchInParts } from './testing/parts.ts';

const payment = {
  merchant_operation_id: 'order-1',
  client_id: 'client-1',
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
} as const;
const operation = { operation_id: '0f8fad5b-d9cb-869f-a165-70867728950e', status: 'pending' };
const notReady = problem(503, 'not_ready', { headers: { 'retry-after': '1' } });

/** A client of a server with these answers, whose clock moves only by pauses. */
async function createClientOf(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const { url, seen } = await serveAnswers(...answers);
  const clock = stoppedClock();
  const client = createClient({ baseUrl: url, apiKey: 'key', clock, ...options });
  return { client, seen, clock, url };
}

describe('a call', () => {
  it('sends the request with the key, and returns the answer', async () => {
    const { client, seen } = await createClientOf([json(operation)]);
    const result = await client.createPayment(payment, { requestId: 'mine' });
    expect(result).toEqual({
      ok: true,
      data: operation,
      replayed: false,
      requestId: 'mine',
      attempts: 1,
    });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        path: '/v1/payment',
        body: JSON.stringify(payment),
        headers: { 'x-api-key': 'key', 'x-request-id': 'mine', 'content-type': 'application/json' },
      },
    ]);
  });

  it('reports a replay', async () => {
    const { client } = await createClientOf([json(operation, { 'idempotent-replayed': 'true' })]);
    expect(await client.createPayout({ ...payment, number: '2200' })).toMatchObject({
      replayed: true,
    });
  });

  it('sends a receipt as a form, and repeats it', async () => {
    const { client, seen } = await createClientOf([cut, json(operation)]);
    const request = {
      operation_id: operation.operation_id,
      confirmation_type: 'receipt',
      receipt: new Blob(['%PDF-1.4 a receipt']),
    } as const;
    expect(await client.confirmPayment(request)).toMatchObject({ ok: true, attempts: 2 });
    for (const { headers, body } of seen) {
      expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
      for (const part of [
        operation.operation_id,
        'name="confirmation_type"',
        '%PDF-1.4 a receipt',
      ]) {
        expect(body).toContain(part);
      }
    }
  });

  it('reads the amount of a receipt without loss of digits', async () => {
    const text = '{"receipts":[{"amount":123456789012345.67},{"amount":60.5},{"amount":250}]}';
    const { client } = await createClientOf([json(text)]);
    const { receipts } = orThrow(
      await client.getOperationState({ merchant_operation_id: 'order-1' }),
    );
    expect(receipts.map(({ amount }) => amount)).toEqual(['123456789012345.67', '60.50', '250.00']);
  });
});

describe('endpoints other than operations', () => {
  const created = { endpoint_id: 'e/1', secret: 'whsec_' };

  it('send a payout file unchanged, and return its result unchanged', async () => {
    const rows = 'row,status\r\n1,created\r\n';
    const { client, seen } = await createClientOf([
      cut,
      written(201, 'application/json', '{"batch_id":"b/1"}'),
      written(202, 'application/json', '{"status":"running"}'),
      json({ status: 'done' }),
      written(200, 'text/csv; charset=utf-8', rows),
    ]);
    const { batch_id } = orThrow(await client.checkPayoutBatch({ file: 'method\nWT_RUB_C2C' }));
    expect(orThrow(await client.confirmPayoutBatch({ batch_id })).status).toBe('running');
    expect(orThrow(await client.getPayoutBatch({ batch_id })).status).toBe('done');
    expect(orThrow(await client.getPayoutBatchResult({ batch_id }))).toBe(rows);
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/payout-batches',
      'POST /v1/payout-batches',
      'POST /v1/payout-batches/b%2F1/confirm',
      'GET /v1/payout-batches/b%2F1',
      'GET /v1/payout-batches/b%2F1/result.csv',
    ]);
    expect(seen[1]).toMatchObject({
      body: 'method\nWT_RUB_C2C',
      headers: { 'content-type': 'text/csv' },
    });
  });

  it('send the filters of exports and statements', async () => {
    const file = written(200, 'text/csv; charset=utf-8', 'a,b\r\n');
    const { client, seen } = await createClientOf([file, file, json({ entries: [] })]);
    expect(orThrow(await client.exportOperations({ status: 'completed' }))).toBe('a,b\r\n');
    expect(orThrow(await client.exportJournal({}))).toBe('a,b\r\n');
    const [from, to] = ['2026-01-01T00:00:00+03:00', '2026-02-01T00:00:00Z'];
    expect(orThrow(await client.getStatement({ from, to })).entries).toEqual([]);
    expect(seen.map(({ path }) => path)).toEqual([
      '/v1/operations.csv?status=completed',
      '/v1/journal.csv',
      '/v1/statements?from=2026-01-01T00%3A00%3A00%2B03%3A00&to=2026-02-01T00%3A00%3A00Z',
    ]);
  });

  it('add, change and delete a webhook endpoint', async () => {
    const { client, seen } = await createClientOf([
      written(201, 'application/json', JSON.stringify(created)),
      json({ ...created, enabled: false }),
      written(204),
    ]);
    const url = 'https://shop.example/';
    const { endpoint_id } = orThrow(await client.createWebhookEndpoint({ url }));
    const change = { endpoint_id, enabled: false };
    expect(orThrow(await client.changeWebhookEndpoint(change)).enabled).toBe(false);
    expect(orThrow(await client.deleteWebhookEndpoint({ endpoint_id }))).toBeUndefined();
    expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/webhook-endpoints', JSON.stringify({ url })],
      ['PATCH', '/v1/webhook-endpoints/e%2F1', '{"enabled":false}'],
      ['DELETE', '/v1/webhook-endpoints/e%2F1', ''],
    ]);
  });

  it.each([
    ['half an answer', cutWithin(created)],
    ['a proxy’s error page', html(502)],
    ['503', notReady],
    ['an internal error', problem(500, 'internal_error')],
  ])('do not repeat a non-idempotent call after %s, because it may be done', async (_, first) => {
    const { client, seen } = await createClientOf([first, json(created)]);
    const result = await client.rotateWebhookSecret({ endpoint_id: 'e' });
    expect(result).toMatchObject({ ok: false, error: { outcome: 'unknown', attempts: 1 } });
    expect(seen.length).toBe(1);
  });

  it('repeat a non-idempotent call if it was certainly not done', async () => {
    const { client } = await createClientOf([problem(429, 'rate_limited'), json(created)]);
    expect(await client.rotateWebhookSecret({ endpoint_id: 'e' })).toMatchObject({ attempts: 2 });
  });
});

describe('a retry', () => {
  const unanswered: [name: string, answer: Answer][] = [
    ['after a broken connection', cut],
    ['after half an answer', cutWithin(operation)],
    ['after silence', silence],
    ['after a proxy’s error page', html(502)],
    ['after 429', problem(429, 'rate_limited', { headers: { 'retry-after': '3' } })],
    ['after 503', notReady],
    ['after one internal error', problem(500, 'internal_error')],
  ];
  it.each(unanswered)('sends the same bytes with the same id %s', async (_, answer) => {
    // Silence times out; an answer has enough time for a busy machine.
    const attemptMs = answer === silence ? 200 : 5_000;
    const { client, seen } = await createClientOf([answer, json(operation)], { attemptMs });
    expect(await client.createPayment(payment)).toMatchObject({
      ok: true,
      data: operation,
      attempts: 2,
    });
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    expect(new Set(seen.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
  });

  it('waits as long as Retry-After, longer each time, and not beyond the deadline', async () => {
    const limited = problem(429, 'rate_limited', { headers: { 'retry-after': '3' } });
    const { client, clock, seen } = await createClientOf([limited, notReady], {
      deadlineMs: 30_000,
    });
    const result = await client.createPayment(payment);
    expect(clock.pausesMs).toEqual([3_000, 1_000, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(seen.length).toBe(8);
    expect(result).toMatchObject({ error: { code: 'not_ready', attempts: 8, outcome: 'unknown' } });
  });

  it('has a known outcome only if no attempt is in doubt', async () => {
    const kinds = {
      cut,
      html502: html(502),
      notReady,
      limited: problem(429, 'rate_limited'),
    } as const;
    const answers = fc.array(fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(answers, async (names) => {
        const { client } = await createClientOf([
          ...names.map((name) => kinds[name]),
          problem(401, 'api_key_invalid'),
        ]);
        const result = await client.createPayment(payment);
        const inDoubt = names.some((name) => name !== 'limited');
        expect(result).toMatchObject({
          error: { attempts: names.length + 1, outcome: inDoubt ? 'unknown' : 'not_done' },
        });
      }),
      { numRuns: 25 },
    );
  });

  it('reports its reason', async () => {
    const retries: string[] = [];
    const onRetry: ClientOptions['onRetry'] = ({ attempt, because }) =>
      retries.push(`${attempt} ${because}`);
    const { client } = await createClientOf([notReady, html(502), json(operation)], { onRetry });
    await client.createPayment(payment);
    expect(retries).toEqual(['1 not_ready', expect.stringMatching(/^2 .*502/)]);
  });
});

describe('a rejection', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'api_key_invalid'],
    [412, 'idempotency_body_mismatch'],
    [422, 'provider_not_accepted'],
  ])('is final: %i %s', async (status, code) => {
    const { client, seen } = await createClientOf([problem(status, code)]);
    const result = await client.createPayment(payment);
    expect(result).toMatchObject({
      ok: false,
      error: { code, status, attempts: 1, outcome: 'not_done' },
    });
    expect(seen.length).toBe(1);
  });

  it('returns the fields, the operation id or the time to wait', async () => {
    const errors = [{ pointer: '/amount', code: 'amount_invalid', detail: 'no' }];
    const { client } = await createClientOf([
      problem(400, 'invalid_request', { members: { errors } }),
      problem(422, 'provider_not_accepted', { members: { operation_id: 'id' } }),
      problem(429, 'rate_limited', { headers: { 'retry-after': '90' } }),
    ]);
    expect(await client.createPayment(payment)).toMatchObject({ error: { errors } });
    expect(await client.createPayment(payment)).toMatchObject({ error: { operationId: 'id' } });
    expect(await client.createPayment(payment)).toMatchObject({
      error: { code: 'rate_limited', retryAfterMs: 90_000, outcome: 'not_done' },
    });
  });

  it('has the sentence of the gateway as its message', async () => {
    const detail = '/amount: must be a decimal with two places, such as "100.00"; and 2 more';
    const { client } = await createClientOf([
      problem(400, 'invalid_request', { members: { detail, errors: [] } }),
      problem(404, 'route_not_found', {
        members: { detail: 'there is nothing at /v1/v1/payment' },
      }),
    ]);
    const errorMessage = async () => {
      const result = await client.createPayment(payment);
      return result.ok ? undefined : new GatewayError(result.error).message;
    };
    expect(await errorMessage()).toMatch(`${detail} (invalid_request, request `);
    expect(await errorMessage()).toContain('there is nothing at /v1/v1/payment');
  });

  it('settles earlier attempts in doubt if it rejects the request itself', async () => {
    const { client } = await createClientOf([cut, problem(412, 'idempotency_body_mismatch')]);
    expect(await client.createPayment(payment)).toMatchObject({ error: { outcome: 'not_done' } });
  });

  it('is not repeated for an inconsistent ledger or a second internal error', async () => {
    const { client, seen } = await createClientOf([
      problem(500, 'accounting_inconsistent'),
      problem(500, 'internal_error'),
    ]);
    expect(await client.getBalances()).toMatchObject({
      error: { code: 'accounting_inconsistent' },
    });
    expect(await client.createPayment(payment)).toMatchObject({
      error: { code: 'internal_error', outcome: 'unknown', attempts: 2 },
    });
    expect(seen.length).toBe(3);
  });

  it.each([
    ['a redirect', 302],
    ['a page of another server', 404],
    ['a page instead of an answer', 200],
  ])('is an unexpected answer: %s', async (_, status) => {
    const { client, seen } = await createClientOf([html(status)]);
    expect(await client.createPayment(payment)).toMatchObject({
      error: {
        code: 'unexpected_answer',
        status,
        outcome: status === 404 ? 'not_done' : 'unknown',
      },
    });
    expect(seen.length).toBe(1);
  });

  it('is an unexpected answer if its code belongs to another endpoint', async () => {
    const { client } = await createClientOf([problem(404, 'operation_not_found')]);
    expect(await client.createPayment(payment)).toMatchObject({
      error: { code: 'unexpected_answer' },
    });
  });

  it('is thrown by orThrow', async () => {
    const { client } = await createClientOf([problem(401, 'api_key_invalid')]);
    const thrown = await client
      .getBalances()
      .then(orThrow)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(GatewayError);
    expect((thrown as GatewayError).failure.code).toBe('api_key_invalid');
  });
});

describe('a missing answer', () => {
  it('leaves the outcome of a create unknown, but not of a read', async () => {
    const { client } = await createClientOf([cut], { deadlineMs: 60_000 });
    expect(await client.createPayment(payment)).toMatchObject({
      error: { code: 'no_answer', cause: 'connection', outcome: 'unknown' },
    });
    expect(await client.getBalances()).toMatchObject({
      error: { code: 'no_answer', cause: 'connection', outcome: 'not_done' },
    });
  });

  it('means not done if nothing listens there', async () => {
    const { client } = await createClientOf([cut], {
      baseUrl: `http://127.0.0.1:${await findFreePort()}`,
      deadlineMs: 60_000,
    });
    expect(await client.createPayment(payment)).toMatchObject({
      error: { code: 'no_answer', outcome: 'not_done' },
    });
  });

  it('is a timeout after the time of an attempt', async () => {
    const { client } = await createClientOf([silence], { attemptMs: 30.5, deadlineMs: 100 });
    expect(await client.createPayment(payment)).toMatchObject({
      error: { code: 'no_answer', cause: 'timeout', outcome: 'unknown' },
    });
  });

  it.each([
    ['while an answer is awaited', silence],
    ['in a pause', notReady],
  ])('rejects with the reason of an abort %s', async (_, answer) => {
    const { url } = await serveAnswers(answer);
    const client = createClient({ baseUrl: url, apiKey: 'key' });
    const reason = new Error('the customer left');
    const { signal, abort } = abortable();
    const call = client.createPayment(payment, { signal });
    setTimeout(() => abort(reason), 50);
    await expect(call).rejects.toBe(reason);
  });
});

describe('an answer in parts', () => {
  const part = 'a,b\r\n';
  /** A client whose time moves by the pauses within answers. */
  const createClientOfParts = (...pausesMs: readonly (readonly number[])[]) => {
    useFakeTime();
    return createClient({
      baseUrl: 'https://gateway.example',
      apiKey: 'key',
      clock: { ...stoppedClock(), now: () => performance.now() },
      fetch: fetchInParts(part, pausesMs),
    });
  };

  it('may take longer than an attempt waits for each part', async () => {
    const client = createClientOfParts([15_000, 15_000, 15_000]);
    expect(await client.exportOperations({})).toMatchObject({
      ok: true,
      data: part.repeat(3),
      attempts: 1,
    });
  });

  it('is requested again after a pause that is too long', async () => {
    const client = createClientOfParts([15_000, 20_000], [1_000]);
    expect(await client.exportOperations({})).toMatchObject({ ok: true, data: part, attempts: 2 });
  });

  it('is lost at the deadline of the call', async () => {
    const client = createClientOfParts([15_000, 15_000, 15_000, 15_000, 15_000]);
    expect(await client.exportOperations({})).toMatchObject({
      error: { code: 'no_answer', cause: 'timeout', attempts: 1, outcome: 'not_done' },
    });
  });
});

/** Time that only the test moves. */
function useFakeTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) };
}

describe('createClient', () => {
  it.each([
    'http://gateway.example',
    'ftp://localhost',
    'https://user@gateway.example',
    'https://a.example/?q',
  ])('rejects %s', (baseUrl) =>
    expect(() => createClient({ baseUrl, apiKey: 'key' })).toThrow(/baseUrl must be/),
  );

  it('rejects an invalid key without showing it', () => {
    const make = () => createClient({ baseUrl: 'https://gateway.example', apiKey: 'secret\nkey' });
    expect(make).toThrow(/^(?!.*secret).*apiKey/);
  });

  it('accepts a base URL with a path', async () => {
    const { url, seen } = await serveAnswers(json(operation));
    await createClient({ baseUrl: `${url}/gateway/`, apiKey: 'key' }).listMethods();
    expect(seen[0]?.path).toBe('/gateway/v1/methods');
  });
});

/** Never called: the compiler checks that the types match the document. */
export async function checkTypes(client: Client): Promise<unknown> {
  // @ts-expect-error -- a payout to a phone number needs a bank
  await client.createPayout({ ...payment, method: 'WT_RUB_PHONE', number: '+79001234567' });
  // @ts-expect-error -- one identifier, not both
  await client.getOperationState({ operation_id: 'a', merchant_operation_id: 'b' });
  // @ts-expect-error -- at least one identifier
  await client.cancelOperation({ reason: 'x' });
  // @ts-expect-error -- an amount is a string
  await client.createPayment({ ...payment, amount: 100 });
  const result = await client.createPayment(payment);
  // @ts-expect-error -- data exists only after a check of ok
  if (!result.ok) return result.data;
  const read = await client.getBalances();
  // @ts-expect-error -- balances can't be refused for another body
  if (!read.ok && read.error.code === 'idempotency_body_mismatch') return;
  const refusal = {} as Refusal<'invalid_request' | 'rate_limited'>;
  return refusal.code === 'invalid_request' ? refusal.errors : refusal.retryAfterMs;
}
