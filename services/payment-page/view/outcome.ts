import { isZero } from '#shared/domain/money.ts';
import {
  formatAmount,
  html,
  pictogram,
  type Html,
  type Language,
  type Pictogram,
  type Tone,
} from '#shared/pages/index.ts';
import type { Shown } from '../shown.ts';
import { texts } from '../texts.ts';
import { live } from './awaiting.ts';

type Outcome = Exclude<Shown, { state: 'awaiting' }>;

const signs: Readonly<Record<Outcome['state'], { tone: Tone; picture: Pictogram }>> = {
  review: { tone: 'info', picture: 'search' },
  paid: { tone: 'success', picture: 'check' },
  partial: { tone: 'warning', picture: 'warning' },
  declined: { tone: 'danger', picture: 'circleCross' },
  expired: { tone: 'neutral', picture: 'clock' },
  cancelled: { tone: 'neutral', picture: 'slash' },
};

/** Where the payer has nothing more to do: no requisites, a word and what follows from it. */
export function outcome(language: Language, shown: Outcome): Html {
  const { tone, picture } = signs[shown.state];
  const { title, text } = texts[language].outcomes[shown.state];
  return html`<section class="card outcome">
    <div class="sign ${tone}">${pictogram(picture, 32)}</div>
    <h1>${title}</h1>
    ${'expected' in shown ? html`<p class="amount">${amountOf(language, shown)}</p>` : ''}
    <p>${text}</p>
    ${shown.state === 'review' ? live(language) : ''}
  </section>`;
}

/** What came, where it came to an end with money; else what was asked for. */
function amountOf(language: Language, shown: Exclude<Outcome, { state: 'cancelled' }>): string {
  const { state, expected, received, currency } = shown;
  if (state === 'partial')
    return texts[language].received(
      formatAmount(language, received, currency),
      formatAmount(language, expected, currency),
    );
  const amount = state === 'paid' && !isZero(received) ? received : expected;
  return formatAmount(language, amount, currency);
}

export const outcomeTitle = (language: Language, { state }: Outcome): string =>
  texts[language].outcomes[state].title;
