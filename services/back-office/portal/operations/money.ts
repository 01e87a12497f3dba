import { isZero } from '#shared/domain/money.ts';
import { isTerminal } from '#shared/domain/operation/state.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import type { Pair } from '../../frame/components.ts';
import { movedNames, returnedNames } from '../../frame/names.ts';
import type { PortalView } from '../env.ts';

const texts = {
  rate: { ru: 'Курс', en: 'Rate' },
  recorded: { ru: 'Учтено', en: 'Recorded' },
  aboutRecorded: {
    ru: 'то же в валюте баланса, по курсу',
    en: 'the same in the currency of the balance, at the rate',
  },
  returned: { ru: 'всего', en: 'in all' },
} as const satisfies Record<string, Words>;

/** What each figure is. Without an outcome it is unknown whether a payout was sent. */
const aboutMoved: Readonly<
  Record<OperationView['type'], Record<'some' | 'notYet' | 'none' | 'settled', Words>>
> = {
  payment: {
    settled: {
      ru: 'пришло от плательщика и зачислено на баланс',
      en: 'came from the payer and was credited to the balance',
    },
    some: { ru: 'пришло от плательщика', en: 'came from the payer' },
    notYet: {
      ru: 'от плательщика пока ничего не пришло',
      en: 'nothing has come from the payer yet',
    },
    none: { ru: 'до завершения ничего не пришло', en: 'nothing came before the end' },
  },
  payout: {
    settled: {
      ru: 'отправлено получателю и списано с баланса',
      en: 'was sent to the payee and charged to the balance',
    },
    some: { ru: 'отправлено получателю', en: 'was sent to the payee' },
    notYet: {
      ru: 'отправка получателю пока не подтверждена',
      en: 'it is not confirmed yet that anything was sent to the payee',
    },
    none: { ru: 'получателю ничего не отправлено', en: 'nothing was sent to the payee' },
  },
};
const settlementNames: Readonly<Record<OperationView['type'], Words>> = {
  payment: { ru: 'На баланс', en: 'To the balance' },
  payout: { ru: 'С баланса', en: 'From the balance' },
};
const aboutSettlement: Readonly<Record<OperationView['type'], Record<'end' | 'open', Words>>> = {
  payment: {
    end: { ru: 'зачислено, за вычетом комиссии', en: 'credited, less the commission' },
    open: {
      ru: 'будет зачислено, если придёт вся сумма: за вычетом комиссии',
      en: 'will be credited if the whole amount comes: less the commission',
    },
  },
  payout: {
    end: { ru: 'списано, вместе с комиссией', en: 'charged, with the commission' },
    open: {
      ru: 'будет списано, если выплата пройдёт: вместе с комиссией',
      en: 'will be charged if the payout succeeds: with the commission',
    },
  },
};

/**
 * The amounts of an operation, each with what it is. One that equals the amount before it is not
 * repeated.
 */
export function moneyPairs(
  view: PortalView,
  shown: OperationView,
  returned: string,
): readonly Pair[] {
  const { t } = view;
  const { type, currency, actual_amount: moved, fx_rate: rate, recorded_amount: recorded } = shown;
  const { recorded_currency: recordedCurrency = currency } = shown;
  const isConverted = recorded !== undefined && recordedCurrency !== currency;
  const isEnded = isTerminal(shown.status);
  const isSettled = isEnded && !isConverted && shown.settlement_amount === moved;
  const none = isEnded ? 'none' : 'notYet';
  const about = isZero(moved) ? none : isSettled ? 'settled' : 'some';
  return [
    [t(movedNames[type]), figure(view, [moved, currency], aboutMoved[type][about])],
    [t(texts.rate), rate && html`${rate} <span class="muted">${shown.fx_source}</span>`],
    [
      t(texts.recorded),
      isConverted ? figure(view, [recorded, recordedCurrency], texts.aboutRecorded) : undefined,
    ],
    ...(isSettled ? [] : settlementPairs(view, shown)),
    [
      t(returnedNames[type]),
      isZero(returned) ? undefined : figure(view, [returned, currency], texts.returned),
    ],
  ];
}

function settlementPairs(view: PortalView, shown: OperationView): readonly Pair[] {
  const { t, language } = view;
  const { type, settlement_amount: settled, settlement_currency: currency } = shown;
  const { commission_amount: commission } = shown;
  if (settled === undefined || commission === undefined) return [];
  const about = aboutSettlement[type][isTerminal(shown.status) ? 'end' : 'open'];
  return [
    [t(common.commission), formatAmount(language, commission, currency)],
    [t(settlementNames[type]), figure(view, [settled, currency], about)],
  ];
}

const figure = (
  { t, language }: PortalView,
  [amount, currency]: readonly [string, string],
  about: Words,
): Html =>
  html`<strong>${formatAmount(language, amount, currency)}</strong>
    <span class="muted small">${t(about)}</span>`;
