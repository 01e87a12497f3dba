import { statusTones } from '#shared/application/pages/status-tones.ts';
import type { OperationStatus } from '#shared/domain/operation/state.ts';
import type { Translations } from '#shared/platform/pages/language.ts';
import type { Tone } from '#shared/platform/pages/components.ts';
import type { Cause, Transition } from '#shared/domain/operation/transitions.ts';

export const meanings: Readonly<Record<OperationStatus, Translations<string>>> = {
  pending: {
    ru: 'Провайдер принял операцию, деньги в пути. Частичные переводы уже видны в `actual_amount`.',
    en: 'A provider has accepted the operation, and the money is on its way. Partial transfers already show in `actual_amount`.',
  },
  awaiting_confirmation: {
    ru: 'Плательщик должен загрузить чек: на странице оплаты или через `POST /v1/confirm_payment`. После загрузки статус такой же, пока чек проверяется.',
    en: 'The payer must upload a receipt, on the hosted page or with `POST /v1/confirm_payment`. After the upload the status stays the same until the review.',
  },
  manual_check: {
    ru: 'Чек смотрит человек. `manual_check_reason`: `potential_fake` — чек вызывает подозрение; `not_terminal` — перевод ещё идёт или файл не PDF, это не признак обмана.',
    en: 'A person reviews the receipt. `manual_check_reason`: `potential_fake`, it looks suspicious; `not_terminal`, the transfer is still in progress or the file is not a PDF, which is no sign of fraud.',
  },
  completed: {
    ru: 'Переведена вся сумма.',
    en: 'The full amount has moved.',
  },
  partially_completed: {
    ru: 'Операция закрыта с меньшей суммой, чем ожидалось; все суммы посчитаны от полученной.',
    en: 'Closed with less money than expected; every figure is based on the actual amount.',
  },
  declined: {
    ru: 'Отказ: провайдера, проверки чека или при создании. Денег нет; резерв выплаты освобождён.',
    en: 'Refused by the provider, by the review of a receipt, or at creation. No money; a payout’s reserve is released.',
  },
  expired: {
    ru: 'Время на оплату вышло, денег не было.',
    en: 'The time to pay ran out and no money arrived.',
  },
  cancelled: {
    ru: 'Отменён вами до денег и до чека. Реквизиты больше нигде не показываются.',
    en: 'Cancelled by you before any money or receipt. Its requisites are no longer shown anywhere.',
  },
};

/** `created` represents the create request. */
export const createdText: Translations<string> = { ru: 'создание', en: 'create' };

export const causes: Readonly<Record<Cause, Translations<string>>> = {
  provider: { ru: 'решил провайдер', en: 'the provider decides' },
  receipt: { ru: 'загружен чек', en: 'a receipt is uploaded' },
  operator: { ru: 'решил оператор', en: 'an operator decides' },
  merchant: { ru: 'ваша отмена', en: 'your cancel' },
  window: { ru: 'вышло время на оплату', en: 'the time to pay runs out' },
  create: { ru: 'решил шлюз при создании', en: 'the gateway decides at creation' },
};

export const tones: Readonly<Record<Transition['from'], Tone>> = {
  ...statusTones,
  created: 'neutral',
};
