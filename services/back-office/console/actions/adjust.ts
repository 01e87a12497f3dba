import { adjustmentStream } from '#shared/application/ledger/adjust.ts';
import { adjustmentBody, adjustmentRules } from '../../api/adjustments/body.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { newId } from '#shared/platform/ids.ts';
import { badge, formatAmount, html } from '#shared/platform/pages/index.ts';
import { isZero, sum } from '#shared/domain/money.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue } from '#shared/platform/sessions/form.ts';
import type { Action } from './action.ts';
import { givenAmount, prepareShop } from './shop.ts';

const texts = {
  before: { ru: 'Баланс сейчас', en: 'Current balance' },
  after: { ru: 'Баланс после', en: 'Balance after' },
  inconsistent: {
    ru: 'последние проводки не сходятся: корректировка не будет проведена',
    en: 'the latest entries do not add up: the adjustment will not be posted',
  },
} as const satisfies Record<string, Words>;

export const adjustBalance: Action = {
  path: '/shops/:shop_id/adjustments/new',
  route: 'POST /admin/v1/shops/:shop_id/adjustments',
  title: { ru: 'Корректировка баланса', en: 'Adjust a balance' },
  explain: {
    ru: 'Пополнение, вывод или исправление. Проводки не удаляются: ошибку исправляют новой корректировкой.',
    en: 'A top-up, a withdrawal or a correction. Entries are never deleted: correct a mistake with another adjustment.',
  },
  button: { ru: 'Провести', en: 'Post the adjustment' },
  danger: true,
  done: { ru: 'Корректировка проведена.', en: 'The adjustment is posted.' },
  prepare: (console, about) =>
    prepareShop(console, about, ({ shopId }) => ({
      fields: [
        {
          name: 'currency',
          label: common.currency,
          kind: 'choice',
          value: 'RUB',
          choices: currencies.map((value) => ({ value, text: value })),
        },
        {
          name: 'amount',
          label: common.amount,
          hint: {
            ru: '100 пополняет, -100 списывает.',
            en: '100 adds, -100 deducts.',
          },
          kind: 'number',
        },
        { name: 'reason', label: { ru: 'Основание', en: 'Reason' }, kind: 'long' },
        {
          name: 'adjustment_id',
          label: { ru: 'Номер корректировки', en: 'Adjustment ID' },
          hint: {
            ru: 'Корректировка с одним номером проводится один раз, сколько бы раз её ни отправили.',
            en: 'An adjustment ID is posted only once, however often it is sent.',
          },
          kind: 'text',
          value: `console-${newId()}`,
        },
      ],
      back: `/shops/${shopId}/ledger/RUB`,
    })),
  body: (values) => ({
    adjustment_id: trimmedValue(values, 'adjustment_id'),
    currency: formValue(values, 'currency'),
    amount: givenAmount(values, 'amount') ?? '',
    reason: trimmedValue(values, 'reason'),
  }),
  check: (_, body) => void validate(adjustmentBody, body, adjustmentRules),
  outcome: async ({ ledgers }, { params, view: { t, language }, body }) => {
    const { currency, amount } = body as { currency: string; amount: string };
    const position = await fromStore(ledgers.position(params['shop_id'] ?? '', currency));
    // Nothing can be posted to an inconsistent ledger, not even an adjustment: the response would
    // be 500.
    if (position.outcome === 'inconsistent')
      return [[t(texts.before), badge('danger', t(texts.inconsistent))]];
    const { balance, reserved } = position;
    const after = sum([balance, amount]);
    const money = (value: string) => formatAmount(language, value, currency);
    return [
      [t(texts.before), money(balance)],
      [t(texts.after), html`<strong class="figure-large">${money(after)}</strong>`],
      [t(common.reserved), isZero(reserved) ? undefined : money(reserved)],
    ];
  },
  streams: ({ params: { shop_id: shopId = '' }, body }) => {
    const { adjustment_id: id, currency } = body as { adjustment_id: string; currency: string };
    return [adjustmentStream(shopId, id), ledgerStream(shopId, currency)];
  },
  next: ({ params, body }) =>
    `/shops/${params['shop_id']}/ledger/${(body as { currency: string }).currency}`,
};
