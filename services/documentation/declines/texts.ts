import type { DeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import type { Translated } from '#shared/platform/pages/language.ts';

type Explanation = { title: string; meaning: string; action: string };

const newId = {
  ru: 'Для новой попытки нужен новый `merchant_operation_id`.',
  en: 'A new attempt needs a new `merchant_operation_id`.',
};
const later = {
  ru: `Создайте новую операцию позже. ${newId.ru}`,
  en: `Create a new operation later. ${newId.en}`,
};

export const explanations: Readonly<Record<DeclineReason, Translated<Explanation>>> = {
  no_route: {
    ru: {
      title: 'Нет маршрута',
      meaning:
        'Для этого типа, метода, валюты и суммы у магазина нет маршрута. При создании это ответ 422.',
      action: `Проверьте сумму, метод и валюту или попросите оператора шлюза настроить маршрут. ${newId.ru}`,
    },
    en: {
      title: 'No route',
      meaning:
        'The shop has no route for this type, method, currency and amount. The response to the create was a 422.',
      action: `Check the amount, method and currency, or ask the gateway’s operator to set up a route. ${newId.en}`,
    },
  },
  routes_full: {
    ru: {
      title: 'Дневные лимиты исчерпаны',
      meaning:
        'Подходящие маршруты есть, но хотя бы один исчерпал дневной лимит, а остальные сейчас недоступны. При создании это ответ 422.',
      action: `Создайте новую операцию на меньшую сумму или позже, самое позднее после полуночи UTC. ${newId.ru}`,
    },
    en: {
      title: 'Daily limits are reached',
      meaning:
        'Routes fit, but at least one has reached its daily limit and the others are unavailable. The response to the create was a 422.',
      action: `Create a new operation for a smaller amount, or later: after midnight UTC at the latest. ${newId.en}`,
    },
  },
  provider_unavailable: {
    ru: {
      title: 'Провайдер недоступен',
      meaning:
        'Подходящие провайдеры отключены или отвечали ошибками, и ни один не принял операцию. При создании это ответ 422.',
      action: later.ru,
    },
    en: {
      title: 'Provider unavailable',
      meaning:
        'Every eligible provider is out of use or responded with an error, and none accepted the operation. The response to the create was a 422.',
      action: later.en,
    },
  },
  provider_refused: {
    ru: {
      title: 'Провайдер не принял операцию',
      meaning:
        'Все подходящие провайдеры отказались принять операцию: например, из-за суммы, получателя или отсутствия свободных реквизитов. При создании это ответ 422.',
      action: `Проверьте сумму и получателя, попробуйте другой метод или повторите позже. ${newId.ru}`,
    },
    en: {
      title: 'Refused by the provider',
      meaning:
        'Every eligible provider refused to accept the operation, for example because of its amount or recipient, or because it had no requisites to offer. The response to the create was a 422.',
      action: `Check the amount and the recipient, use another method, or retry later. ${newId.en}`,
    },
  },
  acceptance_timeout: {
    ru: {
      title: 'Провайдер не ответил вовремя',
      meaning:
        'За время ожидания ни один провайдер не принял операцию. При создании это ответ 422. Позднее принятие отзывается.',
      action: later.ru,
    },
    en: {
      title: 'Acceptance timed out',
      meaning:
        'No provider accepted the operation within the acceptance wait. The response to the create was a 422. A late acceptance is withdrawn.',
      action: later.en,
    },
  },
  insufficient_funds: {
    ru: {
      title: 'Недостаточно средств',
      meaning:
        'Выплата опустила бы баланс магазина ниже лимита овердрафта. При создании это ответ 422 [insufficient_funds](/docs/errors/insufficient-funds).',
      action: `Пополните баланс. ${newId.ru}`,
    },
    en: {
      title: 'Insufficient funds',
      meaning:
        'The payout would have taken the shop’s balance below its overdraft limit. The response to the create was a 422 [insufficient_funds](/docs/errors/insufficient-funds).',
      action: `Top up the balance. ${newId.en}`,
    },
  },
  receipt_rejected: {
    ru: {
      title: 'Чек не принят',
      meaning:
        'Проверка не подтвердила перевод по загруженному чеку: решил провайдер или оператор шлюза. Денег по платежу нет.',
      action:
        'Если плательщик уверен, что перевёл деньги, передайте оператору шлюза `operation_id` и чек из приложения банка.',
    },
    en: {
      title: 'Receipt rejected',
      meaning:
        'The review of the uploaded receipt did not confirm a transfer; the provider or an operator of the gateway decided. The payment has no money.',
      action:
        'If the payer is certain that the money was sent, give the gateway’s operator the `operation_id` and the receipt from the bank’s app.',
    },
  },
  provider_declined: {
    ru: {
      title: 'Отклонено провайдером',
      meaning:
        'Провайдер принял операцию, а затем отклонил её: деньги не дошли или вернулись целиком. Резерв выплаты освобождён.',
      action: `Проверьте реквизиты получателя выплаты; плательщику предложите оплатить заново. ${newId.ru}`,
    },
    en: {
      title: 'Declined by the provider',
      meaning:
        'The provider had accepted the operation and then declined it: no money arrived, or all of it was returned. A payout’s reserve is released.',
      action: `Check a payout’s recipient; ask a payer to pay again. ${newId.en}`,
    },
  },
  closed_by_operator: {
    ru: {
      title: 'Закрыто оператором',
      meaning:
        'Провайдер не завершал операцию, и администратор шлюза закрыл её без денег. Резерв выплаты освобождён; о том, что провайдер сообщит позже, решает оператор.',
      action: `Спросите оператора шлюза, прежде чем повторять выплату: деньги могли уйти. ${newId.ru}`,
    },
    en: {
      title: 'Closed by an operator',
      meaning:
        'The provider did not end the operation, and an admin of the gateway closed it without money. A payout’s reserve is released; an operator decides about what the provider reports afterwards.',
      action: `Ask the gateway’s operator before you repeat a payout: its money may have been sent. ${newId.en}`,
    },
  },
};
