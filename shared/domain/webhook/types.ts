type InTwoLanguages = { ru: string; en: string };

/** All that is known of a type of webhook. */
type WebhookTypeEntry = {
  /** What it reports on: an operation, another endpoint, or nothing (a test of the endpoint). */
  about: 'operation' | 'endpoint' | 'test';
  /** Where people choose types; absent where an endpoint can't choose it. */
  label?: InTwoLanguages;
  /** What happened, for merchants; absent where the status in its name says it. */
  meaning?: InTwoLanguages;
};

/** The types of webhooks, in the order in which people see them (R14.1, R14.19, R14.20). */
const table = {
  'payment.awaiting_confirmation': {
    about: 'operation',
    label: { ru: 'Платёж: нужен чек', en: 'Payment: a receipt is needed' },
  },
  'payment.completed': {
    about: 'operation',
    label: { ru: 'Платёж: оплачен', en: 'Payment: completed' },
  },
  'payment.partially_completed': {
    about: 'operation',
    label: { ru: 'Платёж: оплачен частично', en: 'Payment: partially completed' },
  },
  'payment.declined': {
    about: 'operation',
    label: { ru: 'Платёж: отклонён', en: 'Payment: declined' },
  },
  'payment.expired': {
    about: 'operation',
    label: { ru: 'Платёж: время истекло', en: 'Payment: expired' },
  },
  'payment.cancelled': {
    about: 'operation',
    label: { ru: 'Платёж: отменён', en: 'Payment: cancelled' },
  },
  'payment.charged_back': {
    about: 'operation',
    label: { ru: 'Платёж: деньги возвращены плательщику', en: 'Payment: charged back' },
    meaning: {
      ru: 'После завершения деньги платежа вернулись плательщику (чарджбэк). Статус и суммы операции не меняются; `data.returned` говорит, сколько вернулось сейчас и всего. Приходит на каждый возврат.',
      en: 'After the terminal status, money of the payment went back to the payer (a chargeback). Status and figures of the operation stay; `data.returned` has this amount and the total so far. Sent for each return.',
    },
  },
  'payout.completed': {
    about: 'operation',
    label: { ru: 'Выплата: исполнена', en: 'Payout: completed' },
  },
  'payout.partially_completed': {
    about: 'operation',
    label: { ru: 'Выплата: исполнена частично', en: 'Payout: partially completed' },
  },
  'payout.declined': {
    about: 'operation',
    label: { ru: 'Выплата: отклонена', en: 'Payout: declined' },
  },
  'payout.returned': {
    about: 'operation',
    label: { ru: 'Выплата: деньги вернулись', en: 'Payout: returned' },
    meaning: {
      ru: 'После завершения деньги выплаты вернулись от получателя. Статус и суммы операции не меняются; `data.returned` говорит, сколько вернулось сейчас и всего. Приходит на каждый возврат.',
      en: 'After the terminal status, money of the payout came back from the payee. Status and figures of the operation stay; `data.returned` has this amount and the total so far. Sent for each return.',
    },
  },
  'endpoint.disabled': {
    about: 'endpoint',
    label: { ru: 'Адрес для вебхуков выключен', en: 'A webhook endpoint was disabled' },
    meaning: {
      ru: 'Другой адрес магазина отключён, или все попытки к нему час подряд неудачны; операции в этом вебхуке нет.',
      en: 'Another endpoint of the shop is disabled, or every attempt to it has failed for an hour; this webhook has no operation.',
    },
  },
  ping: {
    about: 'test',
    meaning: {
      ru: 'Оператор или вы проверяете адрес; операции в этом вебхуке нет.',
      en: 'An operator or you test the endpoint; this webhook has no operation.',
    },
  },
} as const satisfies Readonly<Record<string, WebhookTypeEntry>>;

type WebhookType = keyof typeof table;
/** An endpoint can't choose a `ping`: it goes where it is sent. */
export type ChoosableWebhookType = Exclude<WebhookType, 'ping'>;
type OperationWebhookType = Exclude<ChoosableWebhookType, 'endpoint.disabled'>;

export const webhookTable: Readonly<Record<WebhookType, WebhookTypeEntry>> = table;

/** Every type of webhook, as endpoints name those that they receive. */
export const webhookTypes = Object.keys(table) as WebhookType[];
export const operationWebhookTypes = webhookTypes.filter(
  (type): type is OperationWebhookType => table[type].about === 'operation',
);
const { ping: _, ...choosable } = table;
/** The labels of the types that an endpoint can choose. */
export const webhookTypeLabels = Object.fromEntries(
  Object.entries(choosable).map(([type, { label }]) => [type, label]),
) as Readonly<Record<ChoosableWebhookType, InTwoLanguages>>;
