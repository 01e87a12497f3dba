import type { Translations } from '#shared/platform/pages/language.ts';

/** An amount with a fixed behaviour of the sandbox, on a route whose options are empty. */
type AmountBehaviour = {
  amount: string;
  /** The options that the attempt is treated by. */
  options: Readonly<Record<string, string | number>>;
  /** It only works on a route that requires a receipt. */
  receipt?: true;
  /** The operation's status after it; `refused`: its create is 422 `provider_not_accepted`. */
  ends:
    | 'refused'
    | 'pending'
    | 'completed'
    | 'partially_completed'
    | 'declined'
    | 'expired'
    | 'manual_check'
    | 'awaiting_confirmation';
};
export type AmountScenario = AmountBehaviour & {
  type: 'payment' | 'payout';
  /** The result, for the documentation. */
  text: Translations<string>;
};

/** The ranges that contain all of them, so that a route can be limited to them. */
export const scenarioRanges = {
  plain: { min_amount: '1001.00', max_amount: '1050.99' },
  receipts: { min_amount: '1051.00', max_amount: '1099.99' },
} as const;

const quick = { autopilot_ms: 3000 };

/** With the result for each type of operation that has this behaviour. */
const behaviours: readonly (AmountBehaviour & {
  payment?: Translations<string>;
  payout?: Translations<string>;
})[] = [
  {
    amount: '1001.00',
    options: quick,
    ends: 'completed',
    payment: { ru: 'Оплачен через три секунды.', en: 'Paid after three seconds.' },
    payout: { ru: 'Отправлена через три секунды.', en: 'Goes out after three seconds.' },
  },
  {
    amount: '1002.00',
    options: { accept: 'decline' },
    ends: 'refused',
    payment: {
      ru: 'Провайдер отказывает сразу: 422 `provider_not_accepted`.',
      en: 'The provider refuses at once: 422 `provider_not_accepted`.',
    },
    payout: {
      ru: 'Провайдер отказывает сразу: 422 `provider_not_accepted`, резерв возвращён.',
      en: 'The provider refuses at once: 422 `provider_not_accepted`, and the reserve is released.',
    },
  },
  {
    amount: '1003.00',
    options: { accept: 'error' },
    ends: 'refused',
    payment: {
      ru: 'Провайдер отвечает ошибкой: 422 `provider_not_accepted`.',
      en: 'The provider fails with an error: 422 `provider_not_accepted`.',
    },
  },
  {
    amount: '1003.00',
    options: { accept: 'error', ...quick },
    ends: 'completed',
    payout: {
      ru: 'Провайдер отвечает ошибкой, исход неизвестен: `pending`, резерв стоит. Через три секунды деньги ушли.',
      en: 'The provider fails with an error, so the outcome is unknown: `pending`, and the funds stay reserved. After three seconds the payout is completed.',
    },
  },
  {
    amount: '1004.00',
    options: { accept: 'hang' },
    ends: 'refused',
    payment: {
      ru: 'Провайдер не отвечает: после ожидания (15 секунд) — 422 `provider_not_accepted`.',
      en: 'The provider never answers: 422 `provider_not_accepted` once the wait of 15 seconds is over.',
    },
  },
  {
    amount: '1005.00',
    options: { accept_delay_ms: 2000, ...quick },
    ends: 'completed',
    payment: {
      ru: 'Провайдер отвечает через две секунды; ещё через три платёж оплачен.',
      en: 'The provider answers after two seconds; three seconds later the payment is paid.',
    },
    payout: {
      ru: 'Провайдер отвечает через две секунды; ещё через три деньги ушли.',
      en: 'The provider answers after two seconds; three seconds later the money goes out.',
    },
  },
  {
    amount: '1006.00',
    options: { ...quick, autopilot_result: 'declined' },
    ends: 'declined',
    payment: {
      ru: 'Принят, а через три секунды отклонён.',
      en: 'Taken, and declined three seconds later.',
    },
    payout: {
      ru: 'Принята, а через три секунды не удалась: резерв возвращён.',
      en: 'Taken, and fails three seconds later: the reserve is released.',
    },
  },
  {
    amount: '1007.00',
    options: { ...quick, autopilot_result: 'partial' },
    ends: 'partially_completed',
    payment: {
      ru: 'Через три секунды приходит половина, и платёж закрыт на ней.',
      en: 'Half of the money comes after three seconds, and closes the payment.',
    },
    payout: {
      ru: 'Через три секунды уходит половина; остальное возвращается из резерва.',
      en: 'Half of the money goes out after three seconds; the rest of the reserve is released.',
    },
  },
  {
    amount: '1008.00',
    options: { expires_in_s: 5 },
    ends: 'expired',
    payment: {
      ru: 'Есть `expires_at`; через пять секунд без денег платёж истекает.',
      en: 'Has `expires_at`, and expires after five seconds without money.',
    },
  },
  {
    amount: '1009.00',
    options: {},
    ends: 'pending',
    payment: {
      ru: 'Ждёт: отмените его или решите командой.',
      en: 'Waits: cancel it, or settle it with a command.',
    },
    payout: { ru: 'Ждёт команды.', en: 'Waits for a command.' },
  },
  {
    amount: '1010.00',
    options: { ...quick, return_ms: 3000 },
    ends: 'completed',
    payment: {
      ru: 'Оплачен через три секунды, ещё через три деньги целиком возвращены плательщику: платёж остаётся `completed`, дальше решает оператор.',
      en: 'Paid after three seconds, and charged back as a whole three seconds later: it stays `completed`, and an operator decides.',
    },
    payout: {
      ru: 'Отправлена через три секунды, ещё через три деньги вернулись целиком: выплата остаётся `completed`, дальше решает оператор.',
      en: 'Goes out after three seconds, and comes back as a whole three seconds later: it stays `completed`, and an operator decides.',
    },
  },
  {
    amount: '1011.00',
    options: { ...quick, return_ms: 3000, return_part: 'half' },
    ends: 'completed',
    payment: {
      ru: 'То же, но плательщику возвращена половина денег.',
      en: 'The same, but half of the money is charged back.',
    },
    payout: {
      ru: 'То же, но вернулась половина денег.',
      en: 'The same, but half of the money comes back.',
    },
  },
  {
    amount: '1051.00',
    receipt: true,
    options: { review: 'approve' },
    ends: 'completed',
    payment: {
      ru: 'Ждёт чека; загруженный PDF одобрен.',
      en: 'Awaits a receipt; the PDF that is uploaded is approved.',
    },
  },
  {
    amount: '1052.00',
    receipt: true,
    options: { review: 'potential_fake' },
    ends: 'manual_check',
    payment: {
      ru: 'Ждёт чека; загруженный похож на поддельный, его проверяет человек.',
      en: 'Awaits a receipt; the one that is uploaded may be forged, and a person looks at it.',
    },
  },
  {
    amount: '1053.00',
    receipt: true,
    options: { review: 'not_terminal' },
    ends: 'manual_check',
    payment: {
      ru: 'Ждёт чека; на загруженном перевод ещё идёт, его проверяет человек.',
      en: 'Awaits a receipt; the one that is uploaded shows a transfer under way, and a person looks at it.',
    },
  },
  {
    amount: '1054.00',
    receipt: true,
    options: { review: 'decline' },
    ends: 'declined',
    payment: {
      ru: 'Ждёт чека; загруженный отклонён.',
      en: 'Awaits a receipt; the one that is uploaded is declined.',
    },
  },
  {
    amount: '1055.00',
    receipt: true,
    options: {},
    ends: 'awaiting_confirmation',
    payment: {
      ru: 'Ждёт чека; загруженный ждёт команды `review`.',
      en: 'Awaits a receipt; the one that is uploaded waits for the command `review`.',
    },
  },
];

/**
 * The amounts that select the sandbox's behaviour, with DEMO=1 only: used by the sandbox, the
 * documentation's tables and the tests.
 */
export const amountScenarios: readonly AmountScenario[] = behaviours.flatMap(
  ({ payment, payout, ...behaviour }) => [
    ...(payment ? [{ ...behaviour, type: 'payment' as const, text: payment }] : []),
    ...(payout ? [{ ...behaviour, type: 'payout' as const, text: payout }] : []),
  ],
);
