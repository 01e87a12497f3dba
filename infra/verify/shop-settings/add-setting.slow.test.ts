import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const set = { express_payouts: true, terms_url: 'https://shop.example/terms' };
const defaults = { express_payouts: false, terms_url: null };

type Life = {
  accepted: unknown;
  refused: { pointer: string }[];
  wrongUrl: { pointer: string }[];
  audit: string;
  stored: { settings: object }[];
  answers: object[];
  columns: Record<string, { type: string; comment: string }>;
  row: object;
  roles: string[][];
  forbidden: string[];
  auditedChange: string;
  formOfOperator: string[];
  form: { name: string }[];
  sent: object;
  page: { ru: string[]; en: string[] };
  reference: string;
};

let life: Life;

beforeAll(() => {
  const preload = new URL('add-setting.ts', import.meta.url).href;
  const args = ['--import', preload, file('life-of-a-setting.ts'), JSON.stringify(set)];
  life = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Life;
});

describe('a setting of a shop that is added to the table', () => {
  it('is accepted and refused by the admin API, and found by the audit', () => {
    expect(life.accepted).toEqual(set);
    expect(life.refused.map(({ pointer }) => pointer)).toEqual(['/express_payouts', '/terms_url']);
    expect(life.wrongUrl).toMatchObject([{ pointer: '/terms_url', code: 'field_invalid' }]);
    expect(life.audit).toMatch(/^the terms_url must /);
  });

  it('is changed by its roles only: in the admin API, the form, and for the audit', () => {
    expect(life.roles).toEqual([
      ['admin', 'operator'],
      ['admin', 'operator'],
    ]);
    expect(life.forbidden).toEqual(['terms_url']);
    expect(life.auditedChange).toBe('terms_url changed with a role that may not');
    expect(life.formOfOperator).toEqual(['express_payouts']);
  });

  it('is in events if it is not at its default, and in every answer', () => {
    expect(life.stored[0]?.settings).not.toHaveProperty('express_payouts');
    expect(life.stored[0]?.settings).not.toHaveProperty('terms_url');
    expect(life.stored[1]?.settings).toMatchObject(set);
    expect(life.answers).toMatchObject([defaults, set]);
  });

  it('has a column with a comment, and its value from the projection', () => {
    expect(life.columns).toMatchObject({
      express_payouts: {
        type: 'boolean not null',
        comment: 'Payouts are sent at once, for analysts',
      },
      terms_url: { type: 'text', comment: 'URL of the terms' },
    });
    expect(life.row).toMatchObject(set);
  });

  it('is in the console: in the form, in what the form sends, and on the page', () => {
    expect(life.form.find(({ name }) => name === 'express_payouts')).toEqual({
      name: 'express_payouts',
      label: { ru: 'Быстрые выплаты', en: 'Express payouts' },
      hint: { ru: 'Сразу.', en: 'At once.' },
      kind: 'switch',
      value: 'on',
    });
    expect(life.sent).toMatchObject({ express_payouts: true, terms_url: 'https://a.example/' });
    expect(life.page.ru).toEqual(
      expect.arrayContaining([
        'Быстрые выплаты: да',
        'Условия магазина: <code>https://shop.example/terms</code>',
      ]),
    );
    expect(life.page.en).toContain('Express payouts: yes');
  });

  it('is in the reference', () => {
    expect(life.reference).toContain(
      '- `express_payouts` (boolean, false by default; changed by: admin, operator): Payouts are sent at once.',
    );
  });
});
