import { describe, expect, it } from 'vitest';
import { wireEvidenceSchema, wirePaths } from '#shared/application/providers/sandbox/wire.ts';
import { useSandbox } from '../testing/use-sandbox.ts';

const harness = useSandbox();
const pdf = '%PDF-1.4 a receipt';

describe('receipt upload', () => {
  it('reviews a receipt once, and sends the result as a callback (R20.1)', async () => {
    const { id, key } = await harness.client.accepted({ review: 'approve' });
    const first = await harness.client.upload(key, 'r-1', pdf);
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'completed', review: { receipt_id: 'r-1', state: 'approved' } },
    });
    expect((await harness.client.upload(key, 'r-1', pdf)).body).toEqual(first.body);
    const [callback] = await harness.callbacks(id, 1);
    expect(callback?.snapshot).toEqual(first.body);
    const { receipts, callbacks } = await harness.client.history(id);
    expect(receipts).toMatchObject([{ receipt_id: 'r-1', key, bytes: pdf.length, times: 2 }]);
    expect(callbacks).toHaveLength(1);
  });

  it('accepts one receipt at a time, which waits for a review command', async () => {
    const { id, key } = await harness.client.accepted();
    expect((await harness.client.upload(key, 'r-1', pdf)).body.review).toEqual({
      receipt_id: 'r-1',
      state: 'waiting',
    });
    expect((await harness.client.upload(key, 'r-2', `${pdf}!`)).body.code).toBe(
      'confirmation_not_expected',
    );
    expect((await harness.client.upload(key, 'r-1', `${pdf}!`)).body.code).toBe(
      'idempotency_body_mismatch',
    );
    await harness.client.control(id, 'review', { result: 'flagged' });
    const [callback] = await harness.callbacks(id, 1);
    expect(callback?.snapshot.review).toEqual({ receipt_id: 'r-1', state: 'flagged' });
    expect((await harness.client.upload(key, 'r-2', `${pdf}!`)).body.review.state).toBe('waiting');
    await harness.client.control(id, 'review', { result: 'approve', actual_amount: '40.00' });
    const [, , last] = [undefined, ...(await harness.callbacks(id, 2))];
    expect(last?.snapshot).toMatchObject({
      status: 'partially_completed',
      legs: [{ amount: '40.00' }],
    });
  });

  it('rejects a receipt for a payout or an unknown attempt', async () => {
    const payout = await harness.client.accepted({}, { type: 'payout' });
    expect((await harness.client.upload(payout.key, 'r', pdf)).body.code).toBe(
      'confirmation_not_expected',
    );
    expect((await harness.client.upload('nobody.1', 'r', pdf)).status).toBe(404);
  });
});

describe('evidence', () => {
  const settled = async (options: object) => {
    const { id, key } = await harness.client.accepted(options);
    const legs = [{ amount: '60.00' }, { amount: '40.00' }];
    await harness.client.control(id, 'settle', { result: 'completed', legs });
    const answer = await harness.client.call('GET', wirePaths.evidence(key));
    return { key, answer };
  };

  it('is complete when every leg has a file', async () => {
    const { key, answer } = await settled({});
    const { status, items } = wireEvidenceSchema.parse(answer.body);
    expect(status).toBe('complete');
    expect(items.map(({ amount, file, synthetic }) => [amount, file, synthetic])).toEqual([
      ['60.00', true, false],
      ['40.00', true, false],
    ]);
    const file = await harness.client.call('GET', wirePaths.legFile(key, items[0]?.leg_id ?? ''));
    expect(file).toMatchObject({ status: 200, type: 'application/pdf' });
    expect(file.text).toMatch(/^%PDF-1\.4[^]*Amount: 60\.00[^]*%%EOF\n$/);
    expect((await harness.client.call('GET', wirePaths.legFile(key, 'other'))).status).toBe(404);
  });
});
