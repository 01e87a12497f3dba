import { erasureStream } from '#shared/domain/personal-data/events.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { erasureBody } from '../../api/erasure/routes.ts';
import type { Action } from './action.ts';
import { given, prepareShop } from './shop.ts';

export const eraseClient: Action = {
  path: '/shops/:shop_id/erasures/new',
  route: 'POST /admin/v1/shops/:shop_id/erasures',
  section: 'shops',
  title: { ru: 'Стирание персональных данных клиента', en: 'Erase a client’s personal data' },
  explain: {
    ru: 'Реквизиты, имена, IP-адрес и загруженные чеки этого клиента станут недоступны навсегда и для всех. Суммы, статусы и номера операций останутся. Вернуть стёртое нельзя.',
    en: 'This client’s requisites, names, IP address and uploaded receipts can never be read again, by anybody. Amounts, statuses and ids stay. What is erased can’t be brought back.',
  },
  button: { ru: 'Стереть навсегда', en: 'Erase for good' },
  danger: true,
  done: {
    ru: 'Стирание начато и закончится само, обычно в течение минуты.',
    en: 'The erasure has begun and ends by itself, mostly within a minute.',
  },
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      fields: [
        {
          name: 'client_id',
          label: { ru: 'Клиент (client_id)', en: 'Client (client_id)' },
          hint: {
            ru: 'Как его называет мерчант в своих запросах; все операции клиента должны быть завершены.',
            en: 'As the merchant’s requests name it; all of the client’s operations must have ended.',
          },
          kind: 'text',
        },
      ],
    })),
  body: (values) => ({ client_id: given(values, 'client_id') ?? '' }),
  check: (_, body) => void validate(erasureBody, body),
  streams: ({ answer }) => [erasureStream((answer as { erasure_id: string }).erasure_id)],
  say: ({ answer }) =>
    (answer as { status: string }).status === 'erased'
      ? { ru: 'Данные этого клиента уже стёрты.', en: 'This client’s data is erased already.' }
      : eraseClient.done,
};
