import { describe, expect, it } from 'vitest';
import { wireEvidenceSchema, wirePaths } from '#shared/application/providers/sandbox/wire.ts';
import { useSandbox } from '../testing/use-sandbox.ts';

const given = useSandbox();
const pdf = '%PDF-1.4 a receipt';

describe('receipts', () => {
  it('are accepted once each, reviewed, and reported by a callback (R20.1)', async () => {
    const { id, key } = await given.client.accepted({ review: 'approve' });
    const first = await given.client.upload(key, 'r-1', pdf);
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'completed', review: { receipt_id: 'r-1', state: 'approved' } },
    });
    expect((await given.client.upload(key, 'r-1', pdf)).body).toEqual(first.body);
    const [callback] = await given.callbacks(id, 1);
    expect(callback?.snapshot).toEqual(first.body);
    const { receipts, callbacks } = await given.client.history(id);
    expect(receipts).toMatchObject([{ receipt_id: 'r-1', key, bytes: pdf.length, times: 2 }]);
    expect(callbacks).toHaveLength(1);
  });

  it('wait for a command, one at a time', async () => {
    const { id, key } = await given.client.accepted();
    expect((await given.client.upload(key, 'r-1', pdf)).body.review).toEqual({
      receipt_id: 'r-1',
      state: 'waiting',
    });
    expect((await given.client.upload(key, 'r-2', `${pdf}!`)).body.code).toBe(
      'confirmation_not_expected',
    );
    expect((await given.client.upload(key, 'r-1', `${pdf}!`)).body.code).toBe(
      'idempotency_body_mismatch',
    );
    await given.client.control(id, 'review', { result: 'flagged' });
    const [callback] = await given.callbacks(id, 1);
    expect(callback?.snapshot.review).toEqual({ receipt_id: 'r-1', state: 'flagged' });
    expect((await given.client.upload(key, 'r-2', `${pdf}!`)).body.review.state).toBe('waiting');
    await given.client.control(id, 'review', { result: 'approve', actual_amount: '40.00' });
    const [, , last] = [undefined, ...(await given.callbacks(id, 2))];
    expect(last?.snapshot).toMatchObject({
      status: 'partially_completed',
      legs: [{ amount: '40.00' }],
    });
  });

  it('are not taken where none can be', async () => {
    const payout = await given.client.accepted({}, { type: 'payout' });
    expect((await given.client.upload(payout.key, 'r', pdf)).body.code).toBe(
      'confirmation_not_expected',
    );
    expect((await given.client.upload('unknown.1', 'r', pdf)).status).toBe(404);
  });
});

describe('evidence', () => {
  const settled = async (options: object) => {
    const { id, key } = await given.client.accepted(options);
    const legs = [{ amount: '60.00' }, { amount: '40.00' }];
    await given.client.control(id, 'settle', { result: 'completed', legs });
    const answer = await given.client.call('GET', wirePaths.evidence(key));
    return { key, answer };
  };

  it('is complete: every leg with a file', async () => {
    const { key, answer } = await settled({});
    const { status, items } = wireEvidenceSchema.parse(answer.body);
    expect(status).toBe('complete');
    expect(items.map(({ amount, file, synthetic }) => [amount, file, synthetic])).toEqual([
      ['60.00', true, false],
      ['40.00', true, false],
    ]);
    const file = await given.client.call('GET', wirePaths.legFile(key, items[0]?.leg_id ?? ''));
    expect(file).toMatchObject({ status: 200, type: 'application/pdf' });
    expect(file.text).toMatch(/^%PDF-1\.4[^]*Amount: 60\.00[^]*%%EOF\n$/);
    expect((await given.client.call('GET', wirePaths.legFile(key, 'other'))).status).toBe(404);
  });
});
