import { isZero } from '#shared/domain/money.ts';
import { formatAmount, type Language } from '#shared/platform/pages/index.ts';
import type { VisiblePayment } from '../visible-payment.ts';
import { payTexts } from '../texts.ts';

/** The headline of a page, which is also its title. */
type Headline = { words: string; amount?: string };

export function toHeadline(language: Language, shown: VisiblePayment): Headline {
  const { awaiting, overdue, outcomes, part } = payTexts[language];
  if (shown.state === 'cancelled') return { words: outcomes.cancelled.title };
  const { state, expected, received, currency } = shown;
  const formatMoney = (amount: string) => formatAmount(language, amount, currency);
  if (state === 'awaiting') {
    if (shown.overdue) return { words: overdue.title };
    return {
      words: isZero(received) ? awaiting.pay : awaiting.rest,
      amount: formatMoney(shown.toPay),
    };
  }
  const words = outcomes[state].title;
  if (state === 'partial')
    return { words, amount: part(formatMoney(received), formatMoney(expected)) };
  // The received amount, if the payment ended with money; otherwise the requested one.
  return {
    words,
    amount: formatMoney(state === 'paid' && !isZero(received) ? received : expected),
  };
}

export const headlineText = ({ words, amount }: Headline): string =>
  amount === undefined ? words : `${words}: ${amount}`;
