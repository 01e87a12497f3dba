import type { DeclineCause } from '../events.ts';

type InTwoLanguages = { ru: string; en: string };

/** All that is known of a decline reason. */
type DeclineReasonEntry = {
  /**
   * The reasons of an `OperationDeclined` that are shown as this one, each with the detail of the
   * create's 422; undefined for what happens only after a provider has accepted.
   */
  causes: Readonly<Partial<Record<DeclineCause, string | undefined>>>;
  /** The code of that 422, where it is not `provider_not_accepted`. */
  code?: 'insufficient_funds';
  /** In lists and badges. */
  label: InTwoLanguages;
  /** What the payer reads. */
  payer: InTwoLanguages;
  /** The page for merchants: a title, what happened, what to do. */
  title: InTwoLanguages;
  meaning: InTwoLanguages;
  action: InTwoLanguages;
};

const newId = {
  ru: 'Для новой попытки нужен новый `merchant_operation_id`.',
  en: 'A new attempt needs a new `merchant_operation_id`.',
};
const later = {
  ru: `Создайте новую операцию позже. ${newId.ru}`,
  en: `Create a new operation later. ${newId.en}`,
};
const unavailable = {
  ru: 'Сейчас этим способом оплатить нельзя, переводить ничего не нужно. Вернитесь в магазин и выберите другой способ или попробуйте позже.',
  en: 'You can’t pay this way right now. Don’t send any money. Go back to the shop and choose another way to pay, or try again later.',
};
const notReceived = {
  ru: 'Деньги не пришли, и этот платёж закрыт: больше ничего не переводите. Чтобы оплатить, начните заново в магазине.',
  en: 'No money has arrived, and this payment is closed: don’t send any now. To pay, start again in the shop.',
};

/** Why an operation was declined, as merchants, payers and operators see it (R5.15). */
const table = {
  no_route: {
    causes: {
      no_route: 'no provider is configured for this operation',
    },
    label: { ru: 'нет маршрута', en: 'no route' },
    payer: unavailable,
    title: {
      ru: 'Нет маршрута',
      en: 'No route',
    },
    meaning: {
      ru: 'Для этого типа, метода, валюты и суммы у магазина нет маршрута. При создании это ответ 422.',
      en: 'The shop has no route for this type, method, currency and amount. The response to the create was a 422.',
    },
    action: {
      ru: `Проверьте сумму, метод и валюту или попросите оператора шлюза настроить маршрут. ${newId.ru}`,
      en: `Check the amount, method and currency, or ask the gateway’s operator to set up a route. ${newId.en}`,
    },
  },
  routes_full: {
    causes: {
      routes_full:
        'the daily limits are reached: send a new operation later, after midnight UTC at the latest, or for a smaller amount',
    },
    label: { ru: 'дневные лимиты исчерпаны', en: 'daily limits are reached' },
    payer: unavailable,
    title: {
      ru: 'Дневные лимиты исчерпаны',
      en: 'Daily limits are reached',
    },
    meaning: {
      ru: 'Подходящие маршруты есть, но хотя бы один исчерпал дневной лимит, а остальные сейчас недоступны. При создании это ответ 422.',
      en: 'Routes fit, but at least one has reached its daily limit and the others are unavailable. The response to the create was a 422.',
    },
    action: {
      ru: `Создайте новую операцию на меньшую сумму или позже, самое позднее после полуночи UTC. ${newId.ru}`,
      en: `Create a new operation for a smaller amount, or later: after midnight UTC at the latest. ${newId.en}`,
    },
  },
  provider_unavailable: {
    causes: {
      routes_skipped:
        'no provider is available for this operation at the moment: send a new one later',
      provider_error: 'no provider accepted the operation: at least one answered with an error',
    },
    label: { ru: 'провайдер недоступен', en: 'provider unavailable' },
    payer: unavailable,
    title: {
      ru: 'Провайдер недоступен',
      en: 'Provider unavailable',
    },
    meaning: {
      ru: 'Подходящие провайдеры отключены или отвечали ошибками, и ни один не принял операцию. При создании это ответ 422.',
      en: 'Every eligible provider is out of use or responded with an error, and none accepted the operation. The response to the create was a 422.',
    },
    action: later,
  },
  provider_refused: {
    causes: {
      all_refused: 'every eligible provider refused the operation',
    },
    label: { ru: 'провайдер не принял', en: 'refused by the provider' },
    payer: unavailable,
    title: {
      ru: 'Провайдер не принял операцию',
      en: 'Refused by the provider',
    },
    meaning: {
      ru: 'Все подходящие провайдеры отказались принять операцию: например, из-за суммы, получателя или отсутствия свободных реквизитов. При создании это ответ 422.',
      en: 'Every eligible provider refused to accept the operation, for example because of its amount or recipient, or because it had no requisites to offer. The response to the create was a 422.',
    },
    action: {
      ru: `Проверьте сумму и получателя, попробуйте другой метод или повторите позже. ${newId.ru}`,
      en: `Check the amount and the recipient, use another method, or retry later. ${newId.en}`,
    },
  },
  acceptance_timeout: {
    causes: {
      acceptance_timeout: 'no provider accepted the operation within the acceptance wait',
    },
    label: { ru: 'провайдер не ответил вовремя', en: 'acceptance timed out' },
    payer: unavailable,
    title: {
      ru: 'Провайдер не ответил вовремя',
      en: 'Acceptance timed out',
    },
    meaning: {
      ru: 'За время ожидания ни один провайдер не принял операцию. При создании это ответ 422. Позднее принятие отзывается.',
      en: 'No provider accepted the operation within the acceptance wait. The response to the create was a 422. A late acceptance is withdrawn.',
    },
    action: later,
  },
  insufficient_funds: {
    causes: {
      insufficient_funds: "the payout would take the balance below the shop's overdraft limit",
    },
    code: 'insufficient_funds',
    label: { ru: 'недостаточно средств', en: 'insufficient funds' },
    payer: unavailable,
    title: {
      ru: 'Недостаточно средств',
      en: 'Insufficient funds',
    },
    meaning: {
      ru: 'Выплата опустила бы баланс магазина ниже лимита овердрафта. При создании это ответ 422 [insufficient_funds](/docs/errors/insufficient-funds).',
      en: 'The payout would have taken the shop’s balance below its overdraft limit. The response to the create was a 422 [insufficient_funds](/docs/errors/insufficient-funds).',
    },
    action: {
      ru: `Пополните баланс. ${newId.ru}`,
      en: `Top up the balance. ${newId.en}`,
    },
  },
  receipt_rejected: {
    causes: {
      review: undefined,
    },
    label: { ru: 'чек не принят', en: 'receipt rejected' },
    payer: {
      ru: 'По чеку не удалось подтвердить перевод. Проверьте в приложении банка, ушли ли деньги. Если нет, начните оплату заново в магазине.',
      en: 'The receipt didn’t confirm a transfer. Check in your bank’s app whether the money was sent. If not, start again in the shop.',
    },
    title: {
      ru: 'Чек не принят',
      en: 'Receipt rejected',
    },
    meaning: {
      ru: 'Проверка не подтвердила перевод по загруженному чеку: решил провайдер или оператор шлюза. Денег по платежу нет.',
      en: 'The review of the uploaded receipt did not confirm a transfer; the provider or an operator of the gateway decided. The payment has no money.',
    },
    action: {
      ru: 'Если плательщик уверен, что перевёл деньги, передайте оператору шлюза `operation_id` и чек из приложения банка.',
      en: 'If the payer is certain that the money was sent, give the gateway’s operator the `operation_id` and the receipt from the bank’s app.',
    },
  },
  provider_declined: {
    causes: {
      provider: undefined,
    },
    label: { ru: 'отклонено провайдером', en: 'declined by the provider' },
    payer: notReceived,
    title: {
      ru: 'Отклонено провайдером',
      en: 'Declined by the provider',
    },
    meaning: {
      ru: 'Провайдер принял операцию, а затем отклонил её: деньги не дошли или вернулись целиком. Резерв выплаты освобождён.',
      en: 'The provider had accepted the operation and then declined it: no money arrived, or all of it was returned. A payout’s reserve is released.',
    },
    action: {
      ru: `Проверьте реквизиты получателя выплаты; плательщику предложите оплатить заново. ${newId.ru}`,
      en: `Check a payout’s recipient; ask a payer to pay again. ${newId.en}`,
    },
  },
  closed_by_operator: {
    causes: {
      close: undefined,
    },
    label: { ru: 'закрыто оператором', en: 'closed by an operator' },
    payer: notReceived,
    title: {
      ru: 'Закрыто оператором',
      en: 'Closed by an operator',
    },
    meaning: {
      ru: 'Провайдер не завершал операцию, и администратор шлюза закрыл её без денег. Резерв выплаты освобождён; о том, что провайдер сообщит позже, решает оператор.',
      en: 'The provider did not end the operation, and an admin of the gateway closed it without money. A payout’s reserve is released; an operator decides about what the provider reports afterwards.',
    },
    action: {
      ru: `Спросите оператора шлюза, прежде чем повторять выплату: деньги могли уйти. ${newId.ru}`,
      en: `Ask the gateway’s operator before you repeat a payout: its money may have been sent. ${newId.en}`,
    },
  },
} as const satisfies Readonly<Record<string, DeclineReasonEntry>>;

export type DeclineReason = keyof typeof table;
export const declineReasonTable: Readonly<Record<DeclineReason, DeclineReasonEntry>> = table;
export const declineReasons = Object.keys(table) as DeclineReason[];

type Causes = { [Reason in DeclineReason]: keyof (typeof table)[Reason]['causes'] }[DeclineReason];
const reasonByCause = Object.fromEntries(
  declineReasons.flatMap((reason) =>
    Object.keys(declineReasonTable[reason].causes).map((cause) => [cause, reason]),
  ),
) as Readonly<Record<Causes, DeclineReason>>;

/** The reason that is shown for that of an `OperationDeclined`. */
export const toDeclineReason = (cause: DeclineCause): DeclineReason => reasonByCause[cause];

/** How a create is refused that ended with that cause; undefined if a provider had accepted. */
export function createRefusal(cause: DeclineCause) {
  const { causes, code = 'provider_not_accepted' } = declineReasonTable[toDeclineReason(cause)];
  const detail = causes[cause];
  return detail === undefined ? undefined : ({ code, detail } as const);
}
