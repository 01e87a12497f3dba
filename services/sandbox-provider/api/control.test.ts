import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedWithSecret } from '#shared/application/providers/sandbox/signature.ts';
import { useSandbox } from '../testing/use-sandbox.ts';

const harness = useSandbox();
const amounts = (snapshot: { legs: { amount: string }[] } | undefined) =>
  snapshot?.legs.map(({ amount }) => amount);

describe('control API', () => {
  it('settles an operation and sends its snapshot as a signed callback (R20.2)', async () => {
    const { id, key } = await harness.client.accepted({ expires_in_s: 600 });
    const settled = await harness.client.control(id, 'settle', {
      result: 'completed',
      legs: [{ amount: '60.00' }, { amount: '40.00', file: false }],
    });
    expect(settled).toMatchObject({
      status: 200,
      body: {
        status: 'completed',
        legs: [
          { amount: '60.00', file: true },
          { amount: '40.00', file: false },
        ],
      },
    });
    const [callback] = await harness.callbacks(id, 1);
    expect(callback?.snapshot).toEqual(settled.body);
    expect(callback?.snapshot).toEqual(await harness.client.look(key));
    const { headers, body } = callback!;
    const { SANDBOX_CALLBACK_SECRET: secret } = harness.sandbox.config;
    expect(isSignedWithSecret(secret, headers, { body, nowMs: Date.now() })).toBe(true);
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('adds legs until the operation is complete, with a callback for each (R20.2)', async () => {
    const { id } = await harness.client.accepted();
    await harness.client.control(id, 'leg', { amount: '33.33' });
    await harness.client.control(id, 'leg', { amount: '33.33', file: false });
    await harness.client.control(id, 'settle', { result: 'completed' });
    const callbacks = await harness.callbacks(id, 3);
    expect(callbacks.map(({ snapshot }) => [snapshot.status, amounts(snapshot)])).toEqual([
      ['open', ['33.33']],
      ['open', ['33.33', '33.33']],
      ['completed', ['33.33', '33.33', '33.34']],
    ]);
    const versions = callbacks.map(({ snapshot }) => snapshot.version);
    expect(versions).toEqual(versions.toSorted((left, right) => left - right));
  });

  it('needs no key, and points at each invalid field', async () => {
    const { id } = await harness.client.accepted();
    const bare = { headers: { 'content-type': 'application/json' } };
    const path = `/control/operations/${id}`;
    const unknown = await harness.client.call(
      'GET',
      `/control/operations/${randomUUID()}`,
      undefined,
      bare,
    );
    expect(unknown).toMatchObject({ status: 404, body: { code: 'operation_not_found' } });
    expect(unknown.type).toContain('application/problem+json');
    for (const [command, body, pointer] of [
      ['settle', { result: 'lost' }, '/result'],
      ['settle', {}, '/result'],
      ['settle', { result: 'completed', legs: [{ amount: '1.5' }] }, '/legs/0/amount'],
      ['leg', { amount: '0.00' }, '/amount'],
      ['leg', { amount: 5 }, '/amount'],
      ['late-money', {}, '/amount'],
      ['review', { result: 'manual' }, '/result'],
      ['leg', { amount: '1.00', fle: true }, '/fle'],
    ] as const) {
      const refused = await harness.client.call('POST', `${path}/${command}`, body, {
        ...bare,
        body: JSON.stringify(body),
      });
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: [{ pointer }] },
      });
    }
    for (const command of ['settle', 'leg', 'late-money', 'review'])
      expect(
        (await harness.client.control(randomUUID(), command, { result: 'approve', amount: '1.00' }))
          .status,
      ).toBeGreaterThanOrEqual(400);
    expect((await harness.client.control(randomUUID(), 'leg', { amount: '1.00' })).status).toBe(
      404,
    );
    expect((await harness.client.control(id, 'review', { result: 'approve' })).body.code).toBe(
      'review_not_allowed',
    );
  });

  it('limits the number of legs', async () => {
    const { id } = await harness.client.accepted();
    const legs = Array.from({ length: 100 }, () => ({ amount: '0.01' }));
    await harness.client.control(id, 'settle', { result: 'partial', legs });
    await harness.client.control(id, 'settle', { result: 'partial', legs });
    expect((await harness.client.control(id, 'leg', { amount: '0.01' })).body.code).toBe(
      'invalid_request',
    );
  });
});

it('expires a payment when its window ends (R20.1)', async () => {
  const { id, key } = await harness.client.accepted({ expires_in_s: 0.15 });
  const { expires_at } = await harness.client.look(key);
  const [callback] = await harness.callbacks(id, 1);
  expect(callback?.snapshot).toMatchObject({ status: 'expired', expires_at, legs: [] });
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at ?? ''));
});

describe('without DEMO', () => {
  const withoutDemo = useSandbox({ demo: false });

  it('ignores autopilot_ms (R20.7)', async () => {
    const { id, key } = await withoutDemo.client.accepted({ autopilot_ms: 1 });
    const later = await withoutDemo.client.accepted({ expires_in_s: 0.1 });
    await withoutDemo.callbacks(later.id, 1);
    expect((await withoutDemo.client.look(key)).status).toBe('open');
    expect((await withoutDemo.client.history(id)).callbacks).toEqual([]);
  });
});
