import { adjustmentStream } from '../../adjustments/adjust.ts';
import { adjustmentBody, adjustmentRules } from '../../adjustments/body.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { currencies } from '#shared/domain/methods.ts';
import { validate } from '#shared/http/validate.ts';
import { newId } from '#shared/ids.ts';
import { common } from '../words.ts';
import type { Action } from './action.ts';
import { given, prepareShop } from './shop.ts';

export const adjustBalance: Action = {
  path: '/shops/:shop_id/adjustments/new',
  route: 'POST /admin/v1/shops/:shop_id/adjustments',
  section: 'balances',
  title: { ru: 'Корректировка баланса', en: 'Adjust a balance' },
  explain: {
    ru: 'Пополнение, вывод или исправление. Проводка не удаляется: ошибку исправляет другая корректировка.',
    en: 'A top-up, a withdrawal or a correction. An entry is never removed: a mistake is made good by another one.',
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
            ru: 'С двумя знаками: 100.00 пополняет, -100.00 списывает.',
            en: 'With two places: 100.00 tops up, -100.00 takes away.',
          },
          kind: 'number',
        },
        { name: 'reason', label: { ru: 'Основание', en: 'Reason' }, kind: 'long' },
        {
          name: 'adjustment_id',
          label: { ru: 'Номер корректировки', en: 'Adjustment id' },
          hint: {
            ru: 'Один номер проводится один раз, сколько бы раз его ни отправили.',
            en: 'One id is posted once, however often it is sent.',
          },
          kind: 'text',
          value: `console-${newId()}`,
        },
      ],
      back: `/shops/${shopId}/ledger/RUB`,
    })),
  body: (values) => ({
    adjustment_id: given(values, 'adjustment_id') ?? '',
    currency: given(values, 'currency'),
    amount: given(values, 'amount') ?? '',
    reason: given(values, 'reason') ?? '',
  }),
  check: (_, body) => void validate(adjustmentBody, body, adjustmentRules),
  streams: ({ params: { shop_id: shopId = '' }, body }) => {
    const { adjustment_id: id, currency } = body as { adjustment_id: string; currency: string };
    return [adjustmentStream(shopId, id), ledgerStream(shopId, currency)];
  },
  next: ({ params, body }) => `/shops/${params['shop_id']}/ledger/${(body as { currency: string }).currency}`,
};
