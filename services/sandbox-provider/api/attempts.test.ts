import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useSandbox } from '../testing/use-sandbox.ts';

const given = useSandbox();
const newKey = () => `${randomUUID()}.1`;
const operationOf = (key: string) => key.slice(0, -2);

describe('submitting', () => {
  it('is answered with the same snapshot however often and however concurrently it comes', async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => given.client.submit(key, { expires_in_s: 600 })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({
      key,
      acceptance: 'accepted',
      status: 'open',
      legs: [],
    });
    const { submissions } = await given.client.history(operationOf(key));
    expect(submissions).toHaveLength(1);
    expect(submissions[0]).toMatchObject({ key, times: 20, request: { amount: '100.00' } });
  });

  it('waits together for an answer that is held back', async () => {
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => given.client.submit(key, { accept_delay_ms: 150 })),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.acceptance).toBe('accepted');
    expect((await given.client.history(operationOf(key))).callbacks).toEqual([]);
  });

  it('of another body under the same key is refused', async () => {
    const { key } = await given.client.accepted();
    const other = await given.client.submit(key, {}, { amount: '100.01' });
    expect(other).toMatchObject({ status: 412, body: { code: 'idempotency_body_mismatch' } });
    expect((await given.client.read(key)).acceptance).toBe('accepted');
  });

  it('fails with HTML and stays undecided, on every repeat', async () => {
    const key = newKey();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const failed = await given.client.submit(key, { accept: 'error' });
      expect(failed.status).toBe(500);
      expect(failed.type).toContain('text/html');
    }
    expect((await given.client.resolve(key)).body).toMatchObject({
      acceptance: 'received',
      status: 'open',
    });
  });

  it('hangs until the caller disconnects, and stays undecided until a command decides (R20.1)', async () => {
    const key = newKey();
    const body = JSON.stringify(given.client.submission({ accept: 'hang' }));
    const left = new AbortController();
    const call = given.client.call('PUT', `/v1/attempts/${key}`, undefined, {
      body,
      signal: left.signal,
    });
    call.catch(() => undefined);
    await expect.poll(() => given.client.read(key)).toMatchObject({ acceptance: 'received' });
    left.abort();
    await expect(call).rejects.toThrow(/abort/i);
    expect((await given.client.read(key)).acceptance).toBe('received');
    await given.client.control(operationOf(key), 'settle', { result: 'completed' });
    const repeat = await given.client.submit(key, { accept: 'hang' });
    expect(repeat.body).toMatchObject({ acceptance: 'accepted', status: 'completed' });
  });

  it('that is answered after the caller disconnected is reported by a callback', async () => {
    const key = newKey();
    // The sandbox is in this process, and has its time from this clock.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const body = JSON.stringify(given.client.submission({ accept_delay_ms: 300 }));
    const left = new AbortController();
    const call = given.client.call('PUT', `/v1/attempts/${key}`, undefined, {
      body,
      signal: left.signal,
    });
    call.catch(() => undefined);
    await expect.poll(() => given.client.read(key)).toMatchObject({ acceptance: 'received' });
    left.abort();
    await expect(call).rejects.toThrow(/abort/i);
    vi.setSystemTime(Date.now() + 300);
    const [callback] = await given.callbacks(operationOf(key), 1);
    expect(callback?.snapshot).toMatchObject({ acceptance: 'accepted', status: 'open' });
  });

  it('takes a recipient’s name as long as a merchant can send', async () => {
    const destination = { number: '4242424242424242', name: 'я'.repeat(32_000) };
    const answer = await given.client.submit(newKey(), {}, { type: 'payout', destination });
    expect(answer.body.acceptance).toBe('accepted');
  });

  it('lists every invalid field', async () => {
    const answer = await given.client.call('PUT', `/v1/attempts/${newKey()}`, {
      amount: '1',
      type: 'gift',
      x: 1,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.type).toContain('application/problem+json');
    expect(
      answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted(),
    ).toEqual(['/amount', '/client_id', '/currency', '/method', '/type', '/x']);
    expect((await given.client.call('PUT', '/v1/attempts/nonsense', {})).status).toBe(400);
  });
});

describe('resolving and withdrawing', () => {
  it('closes a key that was never submitted: a submission that comes later is void', async () => {
    const key = newKey();
    expect((await given.client.call('GET', `/v1/attempts/${key}`)).status).toBe(404);
    expect((await given.client.resolve(key)).body).toMatchObject({
      acceptance: 'void',
      status: 'withdrawn',
    });
    expect((await given.client.submit(key)).body.acceptance).toBe('void');
    expect(await given.client.history(operationOf(key))).toMatchObject({
      submissions: [],
      cancels: [],
    });
  });

  it('takes a key that can not be decoded for what it is: none of an attempt', async () => {
    expect((await given.client.call('POST', '/v1/attempts/%u0041/withdraw', {})).status).toBe(400);
  });

  it('remembers a withdrawal that comes before the submission', async () => {
    const key = newKey();
    expect((await given.client.withdraw(key)).body.acceptance).toBe('void');
    expect((await given.client.submit(key)).body.acceptance).toBe('void');
    const { submissions, cancels } = await given.client.history(operationOf(key));
    expect(submissions).toEqual([]);
    expect(cancels).toMatchObject([{ key, times: 1 }]);
  });

  it('ends an open attempt once, without a callback', async () => {
    const { id, key } = await given.client.accepted({ expires_in_s: 600 });
    const first = await given.client.withdraw(key);
    expect(first.body.status).toBe('withdrawn');
    expect((await given.client.withdraw(key)).text).toBe(first.text);
    await given.client.control(id, 'expire', {});
    expect(await given.client.history(id)).toMatchObject({
      cancels: [{ times: 2 }],
      callbacks: [],
    });
  });

  it('answers a submission that waits, and ends its delay', async () => {
    const key = newKey();
    const submitting = given.client.submit(key, { accept_delay_ms: 60_000 });
    await vi.waitUntil(async () => (await given.client.read(key))?.acceptance === 'received', {
      timeout: 20_000,
    });
    await given.client.withdraw(key);
    expect((await submitting).body).toMatchObject({
      acceptance: 'refused',
      refusal_reason: 'withdrawn',
    });
  });
});

describe('at the door', () => {
  it('requires the key before anything else', async () => {
    const without = await given.client.call('PUT', '/v1/attempts/nonsense', {}, { headers: {} });
    expect(without).toMatchObject({ status: 401, body: { code: 'api_key_required' } });
    const wrong = await given.client.call(
      'PUT',
      '/v1/nowhere',
      {},
      { headers: { authorization: 'Bearer x' } },
    );
    expect(wrong).toMatchObject({ status: 401, body: { code: 'api_key_invalid' } });
  });

  it('has probes and metrics', async () => {
    for (const probe of ['/livez', '/healthz', '/readyz'])
      expect((await given.client.call('GET', probe, undefined, { headers: {} })).status).toBe(204);
    const metrics = await given.client.call('GET', '/metrics', undefined, { headers: {} });
    expect(metrics.text).toContain('gateway_sandbox_callbacks_waiting');
    expect(metrics.text).toContain('gateway_http_request_duration_seconds');
  });
});
