import { erasureStream } from '#shared/domain/personal-data/events.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { trimmedValue } from '#shared/platform/sessions/form.ts';
import { erasureBody } from '../../api/erasure/routes.ts';
import type { Action } from './action.ts';
import { prepareShop } from './shop.ts';

export const eraseClient: Action = {
  path: '/shops/:shop_id/erasures/new',
  route: 'POST /admin/v1/shops/:shop_id/erasures',
  title: { ru: 'Стирание персональных данных клиента', en: 'Erase a client’s personal data' },
  explain: {
    ru: 'Реквизиты, имена, IP-адрес и загруженные чеки этого клиента станут недоступны навсегда и для всех. Суммы, статусы и номера операций останутся. Вернуть стёртое нельзя.',
    en: 'This client’s requisites, names, IP address and uploaded receipts become unreadable for everyone, for good. Amounts, statuses and IDs stay. This can’t be undone.',
  },
  button: { ru: 'Стереть навсегда', en: 'Erase permanently' },
  danger: true,
  done: {
    ru: 'Стирание начато и завершится само, обычно в течение минуты.',
    en: 'The erasure has started. It usually finishes within a minute.',
  },
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      fields: [
        {
          name: 'client_id',
          label: { ru: 'Клиент (client_id)', en: 'Client (client_id)' },
          hint: {
            ru: 'client_id из запросов мерчанта. Все операции клиента должны быть завершены.',
            en: 'The client_id in the merchant’s requests. All of the client’s operations must have finished.',
          },
          kind: 'text',
        },
      ],
    })),
  body: (values) => ({ client_id: trimmedValue(values, 'client_id') }),
  check: (_, body) => void validate(erasureBody, body),
  streams: ({ answer }) => [erasureStream((answer as { erasure_id: string }).erasure_id)],
  describeDone: ({ answer }) =>
    (answer as { status: string }).status === 'erased'
      ? { ru: 'Данные этого клиента уже стёрты.', en: 'This client’s data was already erased.' }
      : eraseClient.done,
};
