import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useSandbox } from '../testing/use-sandbox.ts';

const harness = useSandbox();
const newKey = () => `${randomUUID()}.1`;
const operationOf = (key: string) => key.slice(0, -2);

describe('submission', () => {
  it.each([{ expires_in_s: 600 }, { accept_delay_ms: 150 }])(
    'returns the same snapshot to 20 concurrent requests with one key, without a callback: %j',
    async (options) => {
      const key = newKey();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => harness.client.submit(key, options)),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      const accepted = { key, acceptance: 'accepted', status: 'open', legs: [] };
      expect(answers[0]?.body).toMatchObject(accepted);
      expect(await harness.client.history(operationOf(key))).toMatchObject({
        submissions: [{ key, times: 20, request: { amount: '100.00' } }],
        callbacks: [],
      });
    },
  );

  it('rejects another body under the same key', async () => {
    const { key } = await harness.client.accepted();
    const other = await harness.client.submit(key, {}, { amount: '100.01' });
    expect(other).toMatchObject({ status: 412, body: { code: 'idempotency_body_mismatch' } });
    expect((await harness.client.look(key)).acceptance).toBe('accepted');
  });

  it('responds with a 500 HTML page on every repeat, and stays undecided', async () => {
    const key = newKey();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const failed = await harness.client.submit(key, { accept: 'error' });
      expect(failed.status).toBe(500);
      expect(failed.type).toContain('text/html');
    }
    expect((await harness.client.resolve(key)).body).toMatchObject({
      acceptance: 'received',
      status: 'open',
    });
  });

  /** Submits an attempt, and disconnects before the response. */
  async function abandon(key: string, options: object): Promise<void> {
    const caller = new AbortController();
    const call = harness.client.call('PUT', `/v1/attempts/${key}`, undefined, {
      body: JSON.stringify(harness.client.submission(options)),
      signal: caller.signal,
    });
    call.catch(() => undefined);
    await expect.poll(() => harness.client.look(key)).toMatchObject({ acceptance: 'received' });
    caller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    // Before it is accepted, the sandbox must know that the caller has left.
    await expect.poll(() => harness.sandbox.requestsInFlight()).toBe(0);
  }

  it('hangs until the caller disconnects, and stays undecided until a command settles it (R20.1)', async () => {
    const key = newKey();
    await abandon(key, { accept: 'hang' });
    expect((await harness.client.look(key)).acceptance).toBe('received');
    await harness.client.control(operationOf(key), 'settle', { result: 'completed' });
    const repeat = await harness.client.submit(key, { accept: 'hang' });
    expect(repeat.body).toMatchObject({ acceptance: 'accepted', status: 'completed' });
  });

  it('sends a callback when it is accepted after the caller has disconnected', async () => {
    const key = newKey();
    // The sandbox runs in this process and reads this clock.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await abandon(key, { accept_delay_ms: 300 });
    vi.setSystemTime(Date.now() + 300);
    const [callback] = await harness.callbacks(operationOf(key), 1);
    expect(callback?.snapshot).toMatchObject({ acceptance: 'accepted', status: 'open' });
  });

  it('accepts the longest recipient name that a merchant can send', async () => {
    const destination = { number: '4242424242424242', name: 'я'.repeat(32_000) };
    const answer = await harness.client.submit(newKey(), {}, { type: 'payout', destination });
    expect(answer.body.acceptance).toBe('accepted');
  });

  it('lists every invalid field', async () => {
    const answer = await harness.client.call('PUT', `/v1/attempts/${newKey()}`, {
      amount: '1',
      type: 'gift',
      x: 1,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.type).toContain('application/problem+json');
    expect(
      answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted(),
    ).toEqual(['/amount', '/client_id', '/currency', '/method', '/type', '/x']);
    expect((await harness.client.call('PUT', '/v1/attempts/nonsense', {})).status).toBe(400);
  });
});

describe('resolve and withdraw', () => {
  it('voids a key that was never submitted, and a later submission under it', async () => {
    const key = newKey();
    expect((await harness.client.call('GET', `/v1/attempts/${key}`)).status).toBe(404);
    expect((await harness.client.resolve(key)).body).toMatchObject({
      acceptance: 'void',
      status: 'withdrawn',
    });
    expect((await harness.client.submit(key)).body.acceptance).toBe('void');
    expect(await harness.client.history(operationOf(key))).toMatchObject({
      submissions: [],
      cancels: [],
    });
  });

  it('rejects a key with an invalid percent-encoding', async () => {
    expect((await harness.client.call('POST', '/v1/attempts/%u0041/withdraw', {})).status).toBe(
      400,
    );
  });

  it('voids a submission that arrives after its withdrawal', async () => {
    const key = newKey();
    expect((await harness.client.withdraw(key)).body.acceptance).toBe('void');
    expect((await harness.client.submit(key)).body.acceptance).toBe('void');
    const { submissions, cancels } = await harness.client.history(operationOf(key));
    expect(submissions).toEqual([]);
    expect(cancels).toMatchObject([{ key, times: 1 }]);
  });

  it('withdraws an open attempt once, and sends no callback', async () => {
    const { id, key } = await harness.client.accepted({ expires_in_s: 600 });
    const first = await harness.client.withdraw(key);
    expect(first.body.status).toBe('withdrawn');
    expect((await harness.client.withdraw(key)).text).toBe(first.text);
    await harness.client.control(id, 'expire', {});
    expect(await harness.client.history(id)).toMatchObject({
      cancels: [{ times: 2 }],
      callbacks: [],
    });
  });

  it('refuses a delayed submission as soon as it is withdrawn', async () => {
    const key = newKey();
    const submitting = harness.client.submit(key, { accept_delay_ms: 60_000 });
    await expect.poll(() => harness.client.look(key)).toMatchObject({ acceptance: 'received' });
    await harness.client.withdraw(key);
    expect((await submitting).body).toMatchObject({
      acceptance: 'refused',
      refusal_reason: 'withdrawn',
    });
  });
});

describe('authentication and probes', () => {
  it('checks the API key before anything else', async () => {
    const without = await harness.client.call('PUT', '/v1/attempts/nonsense', {}, { headers: {} });
    expect(without).toMatchObject({ status: 401, body: { code: 'api_key_required' } });
    const wrong = await harness.client.call(
      'PUT',
      '/v1/nowhere',
      {},
      { headers: { authorization: 'Bearer x' } },
    );
    expect(wrong).toMatchObject({ status: 401, body: { code: 'api_key_invalid' } });
  });

  it('serves probes and metrics without a key', async () => {
    for (const probe of ['/livez', '/healthz', '/readyz'])
      expect((await harness.client.call('GET', probe, undefined, { headers: {} })).status).toBe(
        204,
      );
    const metrics = await harness.client.call('GET', '/metrics', undefined, { headers: {} });
    expect(metrics.text).toContain('gateway_sandbox_callbacks_waiting');
    expect(metrics.text).toContain('gateway_http_request_duration_seconds');
  });
});
