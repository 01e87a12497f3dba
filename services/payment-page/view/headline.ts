import { isZero } from '#shared/domain/money.ts';
import { formatAmount, formatDecimal, type Language } from '#shared/platform/pages/index.ts';
import type { Shown } from '../visible-payment.ts';
import { texts } from '../texts.ts';

/** The headline of a page, which is also its title. */
type Headline = { words: string; amount?: string };

export function headlineOf(language: Language, shown: Shown): Headline {
  const { awaiting, overdue, outcomes, part } = texts[language];
  if (shown.state === 'cancelled') return { words: outcomes.cancelled.title };
  const { state, expected, received, currency } = shown;
  const amountOf = (amount: string) => formatAmount(language, amount, currency);
  if (state === 'awaiting') {
    if (shown.overdue) return { words: overdue.title };
    return {
      words: isZero(received) ? awaiting.pay : awaiting.rest,
      amount: amountOf(shown.toPay),
    };
  }
  const words = outcomes[state].title;
  if (state === 'partial')
    return { words, amount: part(formatDecimal(language, received), amountOf(expected)) };
  // The received amount, if the payment ended with money; otherwise the requested one.
  return { words, amount: amountOf(state === 'paid' && !isZero(received) ? received : expected) };
}

export const titleOf = ({ words, amount }: Headline): string =>
  amount === undefined ? words : `${words}: ${amount}`;
