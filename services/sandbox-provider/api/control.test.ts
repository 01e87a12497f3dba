import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedBy } from '#shared/application/providers/sandbox/signature.ts';
import { useSandbox } from '../testing/use-sandbox.ts';

const given = useSandbox();
const amounts = (snapshot: { legs: { amount: string }[] } | undefined) =>
  snapshot?.legs.map(({ amount }) => amount);

describe('commands', () => {
  it('settle an operation, and one signed callback reports all of it (R20.2)', async () => {
    const { id, key } = await given.client.accepted({ expires_in_s: 600 });
    const settled = await given.client.control(id, 'settle', {
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
    const [callback] = await given.callbacks(id, 1);
    expect(callback?.snapshot).toEqual(settled.body);
    expect(callback?.snapshot).toEqual(await given.client.read(key));
    const { headers, body } = callback!;
    const { SANDBOX_CALLBACK_SECRET: secret } = given.sandbox.config;
    expect(isSignedBy(secret, headers, { body, nowMs: Date.now() })).toBe(true);
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('bring money in part, in order, until the operation is complete (R20.2)', async () => {
    const { id } = await given.client.accepted();
    await given.client.control(id, 'leg', { amount: '33.33' });
    await given.client.control(id, 'leg', { amount: '33.33', file: false });
    await given.client.control(id, 'settle', { result: 'completed' });
    const callbacks = await given.callbacks(id, 3);
    expect(callbacks.map(({ snapshot }) => [snapshot.status, amounts(snapshot)])).toEqual([
      ['open', ['33.33']],
      ['open', ['33.33', '33.33']],
      ['completed', ['33.33', '33.33', '33.34']],
    ]);
    const versions = callbacks.map(({ snapshot }) => snapshot.version);
    expect(versions).toEqual(versions.toSorted((left, right) => left - right));
  });

  it('bring money after the end (R20.2)', async () => {
    const { id, key } = await given.client.accepted();
    await given.client.withdraw(key);
    await given.client.control(id, 'late-money', { amount: '7.00' });
    const [callback] = await given.callbacks(id, 1);
    expect(callback?.snapshot).toMatchObject({ status: 'withdrawn', legs: [{ amount: '7.00' }] });
  });

  it('need no key, and say what is wrong with them', async () => {
    const { id } = await given.client.accepted();
    const bare = { headers: { 'content-type': 'application/json' } };
    const path = `/control/operations/${id}`;
    const unknown = await given.client.call(
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
      const refused = await given.client.call('POST', `${path}/${command}`, body, {
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
        (await given.client.control(randomUUID(), command, { result: 'approve', amount: '1.00' }))
          .status,
      ).toBeGreaterThanOrEqual(400);
    expect((await given.client.control(randomUUID(), 'leg', { amount: '1.00' })).status).toBe(404);
    expect((await given.client.control(id, 'review', { result: 'approve' })).body.code).toBe(
      'review_not_allowed',
    );
  });

  it('end at a bound of legs', async () => {
    const { id } = await given.client.accepted();
    const legs = Array.from({ length: 100 }, () => ({ amount: '0.01' }));
    await given.client.control(id, 'settle', { result: 'partial', legs });
    await given.client.control(id, 'settle', { result: 'partial', legs });
    expect((await given.client.control(id, 'leg', { amount: '0.01' })).body.code).toBe(
      'invalid_request',
    );
  });
});

describe('what happens by itself', () => {
  it('expires a payment when its window ends (R20.1)', async () => {
    const { id, key } = await given.client.accepted({ expires_in_s: 0.15 });
    const { expires_at } = await given.client.read(key);
    const [callback] = await given.callbacks(id, 1);
    expect(callback?.snapshot).toMatchObject({ status: 'expired', expires_at, legs: [] });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at ?? ''));
  });

  it('completes on autopilot, a payout also after a submission that failed', async () => {
    const { id } = await given.client.accepted({ autopilot_ms: 100 });
    const payout = randomUUID();
    await given.client.submit(
      `${payout}.1`,
      { accept: 'error', autopilot_ms: 100 },
      { type: 'payout' },
    );
    for (const operationId of [id, payout]) {
      const [callback] = await given.callbacks(operationId, 1);
      expect(callback?.snapshot).toMatchObject({ acceptance: 'accepted', status: 'completed' });
      expect(amounts(callback?.snapshot)).toEqual(['100.00']);
    }
  });
});

describe('without the demo', () => {
  const withoutDemo = useSandbox({ demo: false });

  it('has no autopilot (R20.7)', async () => {
    const { id, key } = await withoutDemo.client.accepted({ autopilot_ms: 1 });
    const later = await withoutDemo.client.accepted({ expires_in_s: 0.1 });
    await withoutDemo.callbacks(later.id, 1);
    expect((await withoutDemo.client.read(key)).status).toBe('open');
    expect((await withoutDemo.client.history(id)).callbacks).toEqual([]);
  });
});
