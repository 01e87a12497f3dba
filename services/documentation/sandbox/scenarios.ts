import type { Translations } from '#shared/platform/pages/language.ts';

/** The settings, steps and results: shown to people, and run by a test as shown. */
export type Scenario = {
  id: string;
  title: Translations<string>;
  /** The visible result. */
  text: Translations<string>;
  type: 'payment' | 'payout';
  route: { requires_receipt?: true; options?: Readonly<Record<string, unknown>> };
  /** A receipt is uploaded before the commands. */
  receipt?: true;
  commands: readonly { command: 'settle' | 'leg' | 'review' | 'late-money'; body: object }[];
  /** What the operation then is; `refused`: the code that its create is answered with. */
  ends: { status: string; actual_amount: string } | { refused: string };
};

export const sandboxScenarios: readonly Scenario[] = [
  {
    id: 'paid',
    title: { ru: 'Оплачено', en: 'Paid' },
    text: {
      ru: 'Плательщик перевёл всю сумму. Приходит `payment.completed`.',
      en: 'The payer has sent the full amount. You receive `payment.completed`.',
    },
    type: 'payment',
    route: {},
    commands: [{ command: 'settle', body: { result: 'completed' } }],
    ends: { status: 'completed', actual_amount: '100.00' },
  },
  {
    id: 'parts',
    title: { ru: 'Оплачено по частям', en: 'Paid in parts' },
    text: {
      ru: 'После первой части статус ещё `pending`, а `actual_amount` — уже `40.00`; вторая часть завершает платёж.',
      en: 'After the first part the status is still `pending` with an `actual_amount` of `40.00`; the second one completes the payment.',
    },
    type: 'payment',
    route: {},
    commands: [
      { command: 'leg', body: { amount: '40.00' } },
      { command: 'leg', body: { amount: '60.00' } },
    ],
    ends: { status: 'completed', actual_amount: '100.00' },
  },
  {
    id: 'partially',
    title: { ru: 'Пришло меньше', en: 'Less than expected' },
    text: {
      ru: 'Провайдер закрыл платёж с полученной суммой: `partially_completed`, и все суммы посчитаны от неё.',
      en: 'The provider closes the payment with the amount received: `partially_completed`, and every figure is based on that amount.',
    },
    type: 'payment',
    route: {},
    commands: [{ command: 'settle', body: { result: 'partial', legs: [{ amount: '60.00' }] } }],
    ends: { status: 'partially_completed', actual_amount: '60.00' },
  },
  {
    id: 'declined',
    title: { ru: 'Отклонено', en: 'Declined' },
    text: {
      ru: 'Провайдер принял платёж, а потом отклонил. Денег нет, суммы — `0.00`.',
      en: 'The provider accepted the payment and declined it later. No money: the figures are `0.00`.',
    },
    type: 'payment',
    route: {},
    commands: [{ command: 'settle', body: { result: 'declined' } }],
    ends: { status: 'declined', actual_amount: '0.00' },
  },
  {
    id: 'refused',
    title: { ru: 'Никто не принял', en: 'No provider accepts' },
    text: {
      ru: 'Единственный маршрут отказывает сразу: создание получает 422 `provider_not_accepted`, а операция остаётся `declined`.',
      en: 'The only route refuses at once: the create gets 422 `provider_not_accepted`, and the operation stays `declined`.',
    },
    type: 'payment',
    route: { options: { accept: 'decline' } },
    commands: [],
    ends: { refused: 'provider_not_accepted' },
  },
  {
    id: 'expired',
    title: { ru: 'Время вышло', en: 'Expired' },
    text: {
      ru: 'Через две секунды без денег платёж истекает сам.',
      en: 'After two seconds without money the payment expires.',
    },
    type: 'payment',
    route: { options: { expires_in_s: 2 } },
    commands: [],
    ends: { status: 'expired', actual_amount: '0.00' },
  },
  {
    id: 'receipt',
    title: { ru: 'Чек одобрен', en: 'Receipt approved' },
    text: {
      ru: 'Платёж ждёт чека (`awaiting_confirmation`); загрузите PDF, и провайдер его одобрит.',
      en: 'The payment awaits a receipt (`awaiting_confirmation`); upload a PDF, and the provider approves it.',
    },
    type: 'payment',
    route: { requires_receipt: true, options: { review: 'approve' } },
    receipt: true,
    commands: [],
    ends: { status: 'completed', actual_amount: '100.00' },
  },
  {
    id: 'fake',
    title: { ru: 'Подозрительный чек', en: 'Suspicious receipt' },
    text: {
      ru: 'Чек помечен: `manual_check` с причиной `potential_fake`. Дальше решает провайдер или оператор; здесь — вы, за провайдера.',
      en: 'The receipt is flagged: `manual_check` for `potential_fake`. The provider or an operator decides; here you do, as the provider.',
    },
    type: 'payment',
    route: { requires_receipt: true, options: { review: 'potential_fake' } },
    receipt: true,
    commands: [{ command: 'review', body: { result: 'approve', actual_amount: '90.00' } }],
    ends: { status: 'partially_completed', actual_amount: '90.00' },
  },
  {
    id: 'late',
    title: { ru: 'Деньги после завершения', en: 'Late money' },
    text: {
      ru: 'Конечный статус и баланс не меняются; деньги ждут решения оператора.',
      en: 'The terminal status stays, and so does the balance; the money waits for an operator’s decision.',
    },
    type: 'payment',
    route: {},
    commands: [
      { command: 'settle', body: { result: 'declined' } },
      { command: 'late-money', body: { amount: '100.00' } },
    ],
    ends: { status: 'declined', actual_amount: '0.00' },
  },
  {
    id: 'payout',
    title: { ru: 'Выплата прошла', en: 'Payout completed' },
    text: {
      ru: 'До команды сумма выплаты зарезервирована (`reserved`); после неё приходит `payout.completed`.',
      en: 'Until the command the amount is reserved (`reserved`); after it you receive `payout.completed`.',
    },
    type: 'payout',
    route: {},
    commands: [{ command: 'settle', body: { result: 'completed' } }],
    ends: { status: 'completed', actual_amount: '100.00' },
  },
  {
    id: 'unknown',
    title: { ru: 'Неизвестный исход выплаты', en: 'Payout with unknown outcome' },
    text: {
      ru: 'Провайдер не ответил: выплата `pending`, резерв остаётся, другой маршрут не пробуют — иначе деньги могли бы уйти дважды. Шлюз спрашивает провайдера, пока тот не скажет.',
      en: 'The provider never answered: the payout is `pending`, its reserve stays, and no other route is tried, because the money could be sent twice. The gateway polls the provider until the outcome is known.',
    },
    type: 'payout',
    route: { options: { accept: 'error' } },
    commands: [{ command: 'settle', body: { result: 'completed' } }],
    ends: { status: 'completed', actual_amount: '100.00' },
  },
];
