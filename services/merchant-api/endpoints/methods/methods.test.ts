import { expect, it } from 'vitest';
import { parseCreateBody } from '#shared/application/create-body/body.ts';
import { createApiWithoutStores } from '../../testing/api-without-stores.ts';
import { methodsAnswerSchema } from '#shared/api/bodies/methods.ts';

const { send } = createApiWithoutStores();

const banks =
  'sberbank tbank alfabank vtb gazprombank raiffeisen rosbank sovcombank rshb mkb psb otpbank pochtabank ' +
  'unicredit ozonbank yandexbank mtsbank akbars';

it('GET /v1/methods lists the methods and banks that a create accepts (R3.10)', async () => {
  const { status, problem: body } = await send('GET /v1/methods');
  expect(status).toBe(200);
  expect(methodsAnswerSchema.parse(body)).toEqual(body);
  const { methods, currencies } = methodsAnswerSchema.parse(body);
  expect(currencies).toEqual(['EUR', 'RUB', 'USD', 'USDT']);
  expect(methods.map(({ method }) => method)).toEqual(['WT_RUB_C2C', 'WT_RUB_PHONE']);
  const [card, phone] = methods;
  expect(card).toEqual({ method: 'WT_RUB_C2C', currency: 'RUB', destination: 'card', banks: [] });
  expect(phone?.banks).toContainEqual({ code: 'sberbank', name: 'Сбербанк' });
  const codes = phone?.banks.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(banks.split(' ')));
  for (const { code, name } of phone?.banks ?? []) {
    expect(name).toMatch(/[а-яё]/i);
    const payout = {
      method: 'WT_RUB_PHONE',
      amount: '1.00',
      currency: 'RUB',
      number: '+79001234567',
    };
    const ids = { merchant_operation_id: 'a', client_id: 'b' };
    expect(parseCreateBody('payout', { ...ids, ...payout, bankname: code }).bankname).toBe(code);
  }
});

it('GET /v1/methods requires a key', async () => {
  expect((await send('GET /v1/methods', { headers: {} })).status).toBe(401);
});
