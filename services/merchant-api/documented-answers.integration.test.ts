import { beforeAll, describe, expect, it } from 'vitest';
import { problems, type ProblemCode } from '#shared/platform/http/problems.ts';
import { useGateway, type Answer } from './testing/gateway.ts';
import { problemSchema } from '#shared/api/openapi/answers.ts';
import { headersOf } from '#shared/api/openapi/answers-of.ts';
import { endpoints } from '#shared/api/openapi/document.ts';

const gateway = useGateway();
type Shop = Awaited<ReturnType<typeof gateway.shop>>;

/**
 * Checks an answer against the document of its endpoint: schema, codes and headers, and nothing
 * else.
 */
function expectDocumented(request: string, { status, headers, body }: Answer): void {
  const endpoint = endpoints.find(
    ({ method, path }) => `${method.toUpperCase()} ${path}` === request,
  );
  if (!endpoint) throw new Error(`${request} is not described`);
  const always = Object.keys(headersOf(endpoint, status)).filter(
    (name) => name !== 'Idempotent-Replayed',
  );
  expect(always.filter((name) => !headers.has(name))).toEqual([]);
  const succeeded = status === endpoint.answer.status;
  expect(headers.get('content-type')).toBe(
    succeeded ? 'application/json' : 'application/problem+json',
  );
  expect((succeeded ? endpoint.answer.schema : problemSchema)?.parse(body)).toEqual(body);
  const codes = endpoint.problems.filter((code: ProblemCode) => problems[code].status === status);
  expect(succeeded ? [] : [body.code]).toEqual(codes.filter((code) => code === body.code));
  const fields: string[] = (endpoint.fields ?? []).map(([code]) => code);
  const errors: { code: string }[] = (!succeeded && body.errors) || [];
  expect(errors.filter(({ code }) => !fields.includes(code))).toEqual([]);
}

const statusOf = (answer: Answer) => [answer.status, answer.body.status ?? answer.body.code];

describe('responses of the merchant API', () => {
  let shop: Shop;
  beforeAll(async () => {
    const phone = { method: 'WT_RUB_PHONE' };
    shop = await gateway.shop({
      routes: [{}, phone, { type: 'payout' }, { type: 'payout', ...phone }],
      overdraftLimits: { RUB: '1000.00' },
    });
  });
  const callDocumented = async (
    request: string,
    body?: object,
    by: Shop = shop,
  ): Promise<Answer> => {
    const [method = '', path = ''] = request.split(' ');
    const answer =
      method === 'POST' ? await by.post(path, body) : await by.fetch(path, { method, headers: {} });
    expectDocumented(request, answer);
    return answer;
  };

  it('match the document for payments', async () => {
    const body = gateway.payment();
    const first = await callDocumented('POST /v1/payment', body);
    expect(statusOf(first)).toEqual([200, 'pending']);
    const again = await callDocumented('POST /v1/payment', body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await callDocumented('POST /v1/payment', { ...body, amount: '1.00' })).status).toBe(
      412,
    );
    expect(
      (await callDocumented('POST /v1/payment', { ...body, amount: 1, client_id: null })).status,
    ).toBe(400);
    expect(
      (await callDocumented('POST /v1/payment', gateway.payment({ method: 'WT_RUB_PHONE' })))
        .status,
    ).toBe(200);
  });

  it('match the document for payment links, with and without a hosted page', async () => {
    const link = await callDocumented('POST /v1/payment/link', gateway.payment());
    expect(link.body.payment_url).toBe(`http://pay.test/${link.body.operation_id}`);
    const without = await gateway.shop({ hostedPage: false });
    expect(
      (await callDocumented('POST /v1/payment/link', gateway.payment(), without)).body.payment_url,
    ).toBeNull();
  });

  it('match the document for converted payments', async () => {
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const converting = await gateway.shop({
      routes: [{ conversion, options: { fx_rate: '0.012500' } }],
    });
    const { body } = await callDocumented('POST /v1/payment', gateway.payment(), converting);
    expect(body).toMatchObject({ fx_rate: '0.012500', settlement_currency: 'USD' });
    await gateway.provider.act(body.operation_id, 'settle', { result: 'completed' });
    const read = { operation_id: body.operation_id };
    expect(
      (await callDocumented('POST /v1/get_operation_state', read, converting)).body
        .recorded_currency,
    ).toBe('USD');
  });

  it('match the document for payouts', async () => {
    expect(statusOf(await callDocumented('POST /v1/payout', gateway.payout()))).toEqual([
      200,
      'pending',
    ]);
    const phone = { method: 'WT_RUB_PHONE', number: '+79001234567', bankname: 'tbank' };
    expect(statusOf(await callDocumented('POST /v1/payout', gateway.payout(phone)))).toEqual([
      200,
      'pending',
    ]);
    expect(
      (await callDocumented('POST /v1/payout', gateway.payout({ amount: '5000.00' }))).body.code,
    ).toBe('insufficient_funds');
    expect((await callDocumented('POST /v1/payout', gateway.payout({ number: '' }))).status).toBe(
      400,
    );
  });

  it('match the document for rejected creates', async () => {
    const refusing = await gateway.shop({ routes: [{ options: { accept: 'decline' } }] });
    const body = gateway.payment();
    for (const replayed of [null, 'true']) {
      const answer = await callDocumented('POST /v1/payment', body, refusing);
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([422, replayed]);
    }
    const key = { merchant_operation_id: body.merchant_operation_id };
    expect((await callDocumented('POST /v1/get_operation_state', key, refusing)).body.status).toBe(
      'declined',
    );
  });

  it('match the document for reads, before and after the terminal status', async () => {
    const { body } = await callDocumented('POST /v1/payment', gateway.payment());
    const read = { operation_id: body.operation_id };
    expect(statusOf(await callDocumented('POST /v1/get_operation_state', read))).toEqual([
      200,
      'pending',
    ]);
    await gateway.provider.act(body.operation_id, 'leg', { amount: '40.00', file: true });
    expect((await callDocumented('POST /v1/get_operation_state', read)).body.actual_amount).toBe(
      '40.00',
    );
    await gateway.provider.act(body.operation_id, 'settle', { result: 'partial' });
    const { body: ended } = await callDocumented('POST /v1/get_operation_state', read);
    expect(ended).toMatchObject({ status: 'partially_completed', receipts: [{ amount: 40 }] });
    expect((await callDocumented('POST /v1/get_operation_state', {})).status).toBe(400);
    const missing = { merchant_operation_id: 'missing' };
    expect((await callDocumented('POST /v1/get_operation_state', missing)).status).toBe(404);
  });

  it('match the document for cancels', async () => {
    const { body } = await callDocumented('POST /v1/payment', gateway.payment());
    const payment = { operation_id: body.operation_id };
    for (const outcome of ['cancelled', 'cancelled']) {
      expect((await callDocumented('POST /v1/cancel_operation', payment)).body.outcome).toBe(
        outcome,
      );
    }
    expect((await callDocumented('POST /v1/get_operation_state', payment)).body.status).toBe(
      'cancelled',
    );
    const first = { merchant_operation_id: gateway.payment().merchant_operation_id };
    expect(
      (await callDocumented('POST /v1/cancel_operation', { ...first, reason: '' })).status,
    ).toBe(200);
    const link = await callDocumented('POST /v1/payment/link', gateway.payment(first));
    expect(link.body).toMatchObject({ status: 'cancelled', payment_url: null });
    const { body: payout } = await callDocumented('POST /v1/payout', gateway.payout());
    expect(
      (await callDocumented('POST /v1/cancel_operation', { operation_id: payout.operation_id }))
        .body.code,
    ).toBe('cancel_payout_unsupported');
    expect(
      (await callDocumented('POST /v1/cancel_operation', { reason: 'я'.repeat(1025) })).status,
    ).toBe(400);
  });

  it('match the document for receipt confirmations', async () => {
    const receipts = await gateway.shop({ routes: [{ requires_receipt: true }] });
    const { body } = await callDocumented('POST /v1/payment', gateway.payment(), receipts);
    expect(body.status).toBe('awaiting_confirmation');
    const confirmation = (content: string) => {
      const form = new FormData();
      form.append('operation_id', body.operation_id);
      form.append('confirmation_type', 'receipt');
      form.append('receipt', new Blob([content]));
      return receipts.confirm(form);
    };
    const statuses = [];
    for (const content of ['no PDF', 'another', '']) {
      const answer = await confirmation(content);
      expectDocumented('POST /v1/confirm_payment', answer);
      statuses.push(statusOf(answer));
    }
    expect(statuses).toEqual([
      [200, 'manual_check'],
      [412, 412],
      [400, 400],
    ]);
    const read = { operation_id: body.operation_id };
    expect(
      (await callDocumented('POST /v1/get_operation_state', read, receipts)).body
        .manual_check_reason,
    ).toBe('not_terminal');
  });

  it('match the document for balances and methods', async () => {
    expect((await callDocumented('GET /v1/balances')).body.balances).toHaveLength(4);
    expect((await callDocumented('GET /v1/methods')).status).toBe(200);
  });
});
