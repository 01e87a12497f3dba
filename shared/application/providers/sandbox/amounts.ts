import type { Translated } from '#shared/platform/pages/language.ts';

/** An amount with a fixed behaviour of the sandbox, on a route whose options are empty. */
export type AmountScenario = {
  amount: string;
  type: 'payment' | 'payout';
  /** The options that the attempt is treated by. */
  options: Readonly<Record<string, string | number>>;
  /** It only works on a route that requires a receipt. */
  receipt?: true;
  /** The result, for the documentation. */
  text: Translated<string>;
  /** The operation's status after it; `refused`: its create is 422 `provider_not_accepted`. */
  ends:
    | 'refused'
    | 'pending'
    | 'completed'
    | 'partially_completed'
    | 'declined'
    | 'expired'
    | Review;
};
type Review = 'manual_check' | 'awaiting_confirmation';

/** The ranges that contain all of them, so that a route can be limited to them. */
export const scenarioRanges = {
  plain: { min_amount: '1001.00', max_amount: '1050.99' },
  receipts: { min_amount: '1051.00', max_amount: '1099.99' },
} as const;

const quick = { autopilot_ms: 3000 };

/**
 * The amounts that select the sandbox's behaviour, with DEMO=1 only: used by the sandbox, the
 * documentation's tables and the tests.
 */
export const amountScenarios: readonly AmountScenario[] = [
  {
    amount: '1001.00',
    type: 'payment',
    options: quick,
    text: { ru: 'Оплачен через три секунды.', en: 'Paid after three seconds.' },
    ends: 'completed',
  },
  {
    amount: '1002.00',
    type: 'payment',
    options: { accept: 'decline' },
    text: {
      ru: 'Провайдер отказывает сразу: 422 `provider_not_accepted`.',
      en: 'The provider refuses at once: 422 `provider_not_accepted`.',
    },
    ends: 'refused',
  },
  {
    amount: '1003.00',
    type: 'payment',
    options: { accept: 'error' },
    text: {
      ru: 'Провайдер отвечает ошибкой: 422 `provider_not_accepted`.',
      en: 'The provider fails with an error: 422 `provider_not_accepted`.',
    },
    ends: 'refused',
  },
  {
    amount: '1004.00',
    type: 'payment',
    options: { accept: 'hang' },
    text: {
      ru: 'Провайдер не отвечает: после ожидания (15 секунд) — 422 `provider_not_accepted`.',
      en: 'The provider never answers: 422 `provider_not_accepted` once the wait of 15 seconds is over.',
    },
    ends: 'refused',
  },
  {
    amount: '1005.00',
    type: 'payment',
    options: { accept_delay_ms: 2000, ...quick },
    text: {
      ru: 'Провайдер отвечает через две секунды; ещё через три платёж оплачен.',
      en: 'The provider answers after two seconds; three seconds later the payment is paid.',
    },
    ends: 'completed',
  },
  {
    amount: '1006.00',
    type: 'payment',
    options: { ...quick, autopilot_result: 'declined' },
    text: {
      ru: 'Принят, а через три секунды отклонён.',
      en: 'Taken, and declined three seconds later.',
    },
    ends: 'declined',
  },
  {
    amount: '1007.00',
    type: 'payment',
    options: { ...quick, autopilot_result: 'partial' },
    text: {
      ru: 'Через три секунды приходит половина, и платёж закрыт на ней.',
      en: 'Half of the money comes after three seconds, and closes the payment.',
    },
    ends: 'partially_completed',
  },
  {
    amount: '1008.00',
    type: 'payment',
    options: { expires_in_s: 5 },
    text: {
      ru: 'Есть `expires_at`; через пять секунд без денег платёж истекает.',
      en: 'Has `expires_at`, and expires after five seconds without money.',
    },
    ends: 'expired',
  },
  {
    amount: '1009.00',
    type: 'payment',
    options: {},
    text: {
      ru: 'Ждёт: отмените его или решите командой.',
      en: 'Waits: cancel it, or settle it with a command.',
    },
    ends: 'pending',
  },
  {
    amount: '1010.00',
    type: 'payment',
    options: { ...quick, return_ms: 3000 },
    text: {
      ru: 'Оплачен через три секунды, ещё через три деньги целиком возвращены плательщику: платёж остаётся `completed`, дальше решает оператор.',
      en: 'Paid after three seconds, and charged back as a whole three seconds later: it stays `completed`, and an operator decides.',
    },
    ends: 'completed',
  },
  {
    amount: '1011.00',
    type: 'payment',
    options: { ...quick, return_ms: 3000, return_part: 'half' },
    text: {
      ru: 'То же, но плательщику возвращена половина денег.',
      en: 'The same, but half of the money is charged back.',
    },
    ends: 'completed',
  },
  {
    amount: '1051.00',
    type: 'payment',
    receipt: true,
    options: { review: 'approve' },
    text: {
      ru: 'Ждёт чека; загруженный PDF одобрен.',
      en: 'Awaits a receipt; the PDF that is uploaded is approved.',
    },
    ends: 'completed',
  },
  {
    amount: '1052.00',
    type: 'payment',
    receipt: true,
    options: { review: 'potential_fake' },
    text: {
      ru: 'Ждёт чека; загруженный похож на поддельный, его проверяет человек.',
      en: 'Awaits a receipt; the one that is uploaded may be forged, and a person looks at it.',
    },
    ends: 'manual_check',
  },
  {
    amount: '1053.00',
    type: 'payment',
    receipt: true,
    options: { review: 'not_terminal' },
    text: {
      ru: 'Ждёт чека; на загруженном перевод ещё идёт, его проверяет человек.',
      en: 'Awaits a receipt; the one that is uploaded shows a transfer under way, and a person looks at it.',
    },
    ends: 'manual_check',
  },
  {
    amount: '1054.00',
    type: 'payment',
    receipt: true,
    options: { review: 'decline' },
    text: {
      ru: 'Ждёт чека; загруженный отклонён.',
      en: 'Awaits a receipt; the one that is uploaded is declined.',
    },
    ends: 'declined',
  },
  {
    amount: '1055.00',
    type: 'payment',
    receipt: true,
    options: {},
    text: {
      ru: 'Ждёт чека; загруженный ждёт команды `review`.',
      en: 'Awaits a receipt; the one that is uploaded waits for the command `review`.',
    },
    ends: 'awaiting_confirmation',
  },
  {
    amount: '1001.00',
    type: 'payout',
    options: quick,
    text: { ru: 'Отправлена через три секунды.', en: 'Goes out after three seconds.' },
    ends: 'completed',
  },
  {
    amount: '1002.00',
    type: 'payout',
    options: { accept: 'decline' },
    text: {
      ru: 'Провайдер отказывает сразу: 422 `provider_not_accepted`, резерв возвращён.',
      en: 'The provider refuses at once: 422 `provider_not_accepted`, and the reserve is released.',
    },
    ends: 'refused',
  },
  {
    amount: '1003.00',
    type: 'payout',
    options: { accept: 'error', ...quick },
    text: {
      ru: 'Провайдер отвечает ошибкой, исход неизвестен: `pending`, резерв стоит. Через три секунды деньги ушли.',
      en: 'The provider fails with an error, so the outcome is unknown: `pending`, and the funds stay reserved. After three seconds the payout is completed.',
    },
    ends: 'completed',
  },
  {
    amount: '1005.00',
    type: 'payout',
    options: { accept_delay_ms: 2000, ...quick },
    text: {
      ru: 'Провайдер отвечает через две секунды; ещё через три деньги ушли.',
      en: 'The provider answers after two seconds; three seconds later the money goes out.',
    },
    ends: 'completed',
  },
  {
    amount: '1006.00',
    type: 'payout',
    options: { ...quick, autopilot_result: 'declined' },
    text: {
      ru: 'Принята, а через три секунды не удалась: резерв возвращён.',
      en: 'Taken, and fails three seconds later: the reserve is released.',
    },
    ends: 'declined',
  },
  {
    amount: '1007.00',
    type: 'payout',
    options: { ...quick, autopilot_result: 'partial' },
    text: {
      ru: 'Через три секунды уходит половина; остальное возвращается из резерва.',
      en: 'Half of the money goes out after three seconds; the rest of the reserve is released.',
    },
    ends: 'partially_completed',
  },
  {
    amount: '1009.00',
    type: 'payout',
    options: {},
    text: { ru: 'Ждёт команды.', en: 'Waits for a command.' },
    ends: 'pending',
  },
  {
    amount: '1010.00',
    type: 'payout',
    options: { ...quick, return_ms: 3000 },
    text: {
      ru: 'Отправлена через три секунды, ещё через три деньги вернулись целиком: выплата остаётся `completed`, дальше решает оператор.',
      en: 'Goes out after three seconds, and comes back as a whole three seconds later: it stays `completed`, and an operator decides.',
    },
    ends: 'completed',
  },
  {
    amount: '1011.00',
    type: 'payout',
    options: { ...quick, return_ms: 3000, return_part: 'half' },
    text: {
      ru: 'То же, но вернулась половина денег.',
      en: 'The same, but half of the money comes back.',
    },
    ends: 'completed',
  },
];
