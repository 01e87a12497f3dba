import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

type Examples = Record<string, { value: Record<string, unknown> }>;
type Body = { content: { 'application/json': { examples: Examples } } };
type Endpoint = { description: string; requestBody: Body; responses: Record<string, Body> };
type Life = {
  refused: Record<string, string[]>;
  payout: Record<string, unknown>;
  payment: Record<string, unknown>;
  operator: string;
  page: { ru: string; en: string };
  document: { paths: Record<string, { post: Endpoint }> };
};

let life: Life;

beforeAll(() => {
  const preload = new URL('add-method.ts', import.meta.url).href;
  const args = ['--import', preload, file('life-of-a-method.ts'), 'WT_USD_CARD'];
  life = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Life;
});

describe('a payment method added to the table', () => {
  it('has its currency, numbers and banks validated', () => {
    expect(life.refused).toEqual({
      currency: ['currency_method_mismatch'],
      number: ['number_invalid'],
      bank: ['bankname_required'],
      none: [],
    });
  });

  it('has the card of a payout masked for the merchant (R5.7) and operators (R16.5)', () => {
    expect(life.payout).toMatchObject({
      method: 'WT_USD_CARD',
      number: '411111******1234',
      bankname: 'firstbank',
      bankname_details: 'Первый банк',
    });
    expect(life.operator).toBe('411111******1234');
  });

  it('has requisites from the sandbox, and texts of the page in both languages', () => {
    expect(life.payment).toMatchObject({
      number: expect.stringMatching(/^22000000\d{8}$/) as string,
    });
    expect(life.page.ru).toContain('Номер долларовой карты');
    expect(life.page.ru).toContain('Выберите перевод в долларах.');
    expect(life.page.en).toContain('Dollar card number');
    expect(life.page.en).toContain('Choose a transfer in dollars.');
  });

  it('is in the OpenAPI document with values, rules, texts and examples', () => {
    const { post } = life.document.paths['/v1/payout'] ?? {};
    expect(post?.description).toContain(
      'with WT_USD_CARD `number` is a card number and `bankname` is required',
    );
    expect(
      post?.requestBody.content['application/json'].examples['dollar_card']?.value,
    ).toMatchObject({
      method: 'WT_USD_CARD',
      currency: 'USD',
      number: '4111 1111 1111 1111',
      bankname: 'firstbank',
    });
    expect(
      post?.responses['200']?.content['application/json'].examples['dollar_card']?.value,
    ).toMatchObject({
      method: 'WT_USD_CARD',
      number: '411111******1111',
      bankname_details: 'Первый банк',
    });
    const text = JSON.stringify(life.document);
    expect(text).toContain('"const":"WT_USD_CARD"');
    expect(text).toContain('["WT_RUB_C2C","WT_RUB_PHONE","WT_USD_CARD"]');
  });
});
