import {
  html,
  pictogram,
  type Html,
  type Language,
  type Pictogram,
  type Tone,
} from '#shared/platform/pages/index.ts';
import type { Shown } from '../visible-payment.ts';
import { texts } from '../texts.ts';
import type { ShownShop } from '../shop.ts';
import { returnLink } from './support.ts';
import { headlineOf } from './headline.ts';
import { live } from './live.ts';

type Outcome = Exclude<Shown, { state: 'awaiting' }>;

const signs: Readonly<Record<Outcome['state'], { tone: Tone; picture: Pictogram }>> = {
  review: { tone: 'info', picture: 'search' },
  paid: { tone: 'success', picture: 'check' },
  partial: { tone: 'warning', picture: 'warning' },
  declined: { tone: 'danger', picture: 'circleCross' },
  expired: { tone: 'neutral', picture: 'clock' },
  cancelled: { tone: 'neutral', picture: 'slash' },
};

/**
 * The page when the payer has nothing more to do: the outcome and its meaning, without requisites.
 */
export function outcome(language: Language, shown: Outcome, shop: ShownShop): Html {
  const { tone, picture } = signs[shown.state];
  const { words, amount } = headlineOf(language, shown);
  const reason = shown.state === 'cancelled' ? undefined : shown.declineReason;
  return html`<section class="card outcome">
    <div class="sign ${tone}">${pictogram(picture, 32)}</div>
    <h1>${words}</h1>
    ${amount && html`<p class="amount">${amount}</p>`}
    ${reason && html`<p>${texts[language].declined[reason]}</p>`}
    <p>${texts[language].outcomes[shown.state].text}</p>
    ${shown.state === 'review' && live(language)} ${returnLink(language, shop)}
  </section>`;
}
