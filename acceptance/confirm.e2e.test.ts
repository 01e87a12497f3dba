import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from './support/answer.ts';
import { admin, control, provider, sendRequest, target } from './support/http.ts';
import { pdf } from './support/files.ts';
import { allRoutes, route } from './support/routes.ts';
import { openTestShop, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await confirming();
});

/** A shop whose card payments need a receipt, which the provider reviews with this result. */
async function confirming(review?: string, change: object = {}): Promise<TestShop> {
  const options = review === undefined ? {} : { review };
  const routes = [route({ requires_receipt: true, options, ...change }), ...allRoutes.slice(1)];
  return openTestShop({ routes, webhook: true });
}

async function awaiting(of = shop): Promise<string> {
  const operation = await of.made(of.pay());
  expect(operation.status).toBe('awaiting_confirmation');
  return operation.operation_id;
}

async function inManualCheck(of: TestShop, file = pdf()): Promise<string> {
  const id = await awaiting(of);
  await of.made(of.confirm(id, file));
  await of.waitFor(id, 'manual_check');
  return id;
}

const review = async (id: string, json: Json) => admin('POST', `/operations/${id}/review`, json);
const types = (of: TestShop, id: string) =>
  of.deliveriesOf(id).map(({ type, sequence }) => `${sequence} ${type}`);

describe('R9.1 confirm_payment request', () => {
  it('returns 404 for an unknown operation and one of another shop (R1.4)', async () => {
    const other = await confirming();
    const notFound = { status: 404, body: { code: 'operation_not_found' } };
    expect(await other.confirm(await awaiting(), pdf())).toMatchObject(notFound);
    expect(await shop.confirm(crypto.randomUUID(), pdf())).toMatchObject(notFound);
  });

  it('returns 400, never 500, for a malformed form', async () => {
    for (const raw of [
      '',
      '--x\r\n',
      '--x--\r\n',
      '--x\r\ncontent-disposition: form-data; name="receipt"\r\n\r\nabc',
    ]) {
      const answer = await sendRequest(`${target.gateways[0]}/v1/confirm_payment`, {
        raw,
        headers: { 'x-api-key': shop.apiKey, 'content-type': 'multipart/form-data; boundary=x' },
      });
      expect(answer.status, answer.text).toBe(400);
    }
  });
});

describe('R9.2 receipt upload', () => {
  it.each([
    ['approve', 'completed', '100.00', '97.50'],
    ['decline', 'declined', '0.00', '0.00'],
  ])(
    'leads to the terminal webhook and balance after the review: %s (R9.7)',
    async (result, status, actual, credited) => {
      for (const at of ['once', 'later']) {
        const of = await confirming(at === 'once' ? result : 'manual');
        const id = await awaiting(of);
        const { status: uploaded } = await of.made(of.confirm(id, pdf()));
        expect(['awaiting_confirmation', status]).toContain(uploaded);
        if (at === 'later') await control(id, 'review', { result });
        expect(await of.delivered(id, 2)).toMatchObject({ type: `payment.${status}` });
        expect(await of.state(id)).toMatchObject({
          status,
          actual_amount: actual,
          settlement_amount: credited,
        });
        expect(await of.balance()).toMatchObject({ balance: credited });
        expect(types(of, id)).toEqual(['1 payment.awaiting_confirmation', `2 payment.${status}`]);
      }
    },
  );

  it.each([
    ['potential_fake', 'potential_fake'],
    ['flagged', 'potential_fake'],
    ['not_terminal', 'not_terminal'],
  ])(
    'R5.9: leads to manual_check if %s, reason %s, without webhook (R9.7)',
    async (result, reason) => {
      const of = await confirming(result);
      const id = await inManualCheck(of);
      expect(await of.state(id)).toMatchObject({
        status: 'manual_check',
        manual_check_reason: reason,
      });
      await of.delivered(id, 1);
      expect(types(of, id)).toEqual(['1 payment.awaiting_confirmation']);
      expect(await of.cancel({ operation_id: id })).toMatchObject({
        status: 412,
        body: { code: 'cancel_not_allowed' },
      });
      // A later decision of the provider is terminal.
      await control(id, 'review', { result: 'approve' });
      expect(await of.waitFor(id, 'completed')).not.toHaveProperty('manual_check_reason');
      expect(await of.delivered(id, 2)).toMatchObject({ type: 'payment.completed' });
    },
  );

  it('excludes a concurrent cancel on the other instance', async () => {
    for (let round = 0; round < 12; round += 1) {
      const id = await awaiting();
      const [cancel, upload] = await Promise.all([
        shop.cancel({ operation_id: id }, round % 2 === 0 ? 0 : 1),
        shop.confirm(id, pdf(), round % 2 === 0 ? 1 : 0),
      ]);
      const { status } = await shop.state(id);
      const expected = status === 'cancelled' ? [200, 412] : [412, 200];
      expect([cancel.status, upload.status]).toEqual(expected);
    }
  });

  it('prevents expiry with the payable window during the review (R6.7)', async () => {
    const of = await confirming('manual', { options: { review: 'manual', expires_in_s: 600 } });
    const [reviewed, unreviewed] = [await awaiting(of), await awaiting(of)];
    await of.made(of.confirm(reviewed, pdf()));
    for (const id of [reviewed, unreviewed]) await control(id, 'expire', {});
    await of.waitFor(unreviewed, 'expired');
    expect(await of.state(reviewed)).toMatchObject({ status: 'awaiting_confirmation' });
    await control(reviewed, 'review', { result: 'approve' });
    await of.waitFor(reviewed, 'completed');
  });
});

describe('R9.9 review by an operator', () => {
  it.each([
    [
      { decision: 'approve', actual_amount: '100.00', note: 'seen' },
      'completed',
      '100.00',
      '97.50',
    ],
    [
      { decision: 'approve', actual_amount: '60.00', note: 'less' },
      'partially_completed',
      '60.00',
      '58.50',
    ],
    [{ decision: 'decline', note: 'forged' }, 'declined', '0.00', '0.00'],
  ])('turns %j into %s (R9.9)', async (decision, status, actual, credited) => {
    const of = await confirming('potential_fake');
    const id = await inManualCheck(of);
    const answer = await review(id, decision);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ operation_id: id, status, actual_amount: actual });
    expect(await of.delivered(id, 2)).toMatchObject({ type: `payment.${status}` });
    const { body } = await until('its evidence', async () => of.read({ operation_id: id }), {
      holds: ({ status: code }) => code === 200,
    });
    expect(body).toMatchObject({ status, actual_amount: actual, settlement_amount: credited });
    expect(body.receipt_evidence_status).toBe(actual === '0.00' ? 'complete' : 'partial');
    expect(await of.balance()).toMatchObject({ balance: credited });
    expect(await review(id, { decision: 'decline', note: 'again' })).toMatchObject({
      status: 412,
      body: { code: 'review_not_allowed' },
    });
    const events = await of.events(id);
    expect(JSON.stringify(events)).toContain(`"note":"${decision.note}"`);
  });

  it('reopens the payment for a receipt on ask_again, with a webhook (R9.9)', async () => {
    const of = await confirming('manual');
    const id = await inManualCheck(of, 'no pdf');
    const answer = await review(id, { decision: 'ask_again', note: 'not readable' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'awaiting_confirmation' } });
    expect(await of.delivered(id, 2)).toMatchObject({ type: 'payment.awaiting_confirmation' });
    expect(await of.state(id)).toMatchObject({ status: 'awaiting_confirmation' });
    expect(await of.made(of.confirm(id, 'no pdf'))).toMatchObject({
      status: 'awaiting_confirmation',
    });
    expect((await provider(id)).receipts).toHaveLength(1);
    await of.made(of.confirm(id, pdf()));
    await control(id, 'review', { result: 'approve' });
    expect(await of.delivered(id, 3)).toMatchObject({ type: 'payment.completed' });
  });

  it('excludes a concurrent decision of the provider, in all views (R9.11)', async () => {
    const of = await confirming('potential_fake');
    let credited = 0;
    for (let round = 0; round < 12; round += 1) {
      const id = await inManualCheck(of);
      const [answer] = await Promise.all([
        review(id, { decision: 'decline', note: 'forged' }),
        control(id, 'review', { result: 'approve' }),
      ]);
      const { type } = await of.delivered(id, 2);
      const { status } = (await of.read({ operation_id: id })).body;
      expect(type).toBe(`payment.${status}`);
      if (status === 'completed') credited += 1;
      expect([answer.status, status]).toEqual(
        status === 'declined' ? [200, 'declined'] : [412, 'completed'],
      );
      expect(of.deliveriesOf(id)).toHaveLength(2);
      expect((await of.balance()).balance).toBe((credited * 97.5).toFixed(2));
    }
  });

  it('allows a cancel again after ask_again', async () => {
    const of = await confirming('not_terminal');
    const id = await inManualCheck(of);
    await review(id, { decision: 'ask_again', note: 'again' });
    expect((await of.cancel({ operation_id: id })).body).toMatchObject({ outcome: 'cancelled' });
  });
});
