import {
  formatMoment,
  html,
  pictogram,
  type Html,
  type Language,
  type Pictogram,
  type Tone,
} from '#shared/platform/pages/index.ts';
import { declineReasonTable } from '#shared/domain/operation/ends/decline-reason.ts';
import type { VisiblePayment } from '../visible-payment.ts';
import { payTexts } from '../texts.ts';
import type { ShownShop } from '../shop.ts';
import { returnLink } from './support.ts';
import { toHeadline } from './headline.ts';
import { live } from './live.ts';

type Outcome = Exclude<VisiblePayment, { state: 'awaiting' }>;

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
  const { words, amount } = toHeadline(language, shown);
  const reason = shown.state === 'cancelled' ? undefined : shown.declineReason;
  return html`<section class="card outcome">
    <div class="sign ${tone}">${pictogram(picture, 32)}</div>
    <h1>${words}</h1>
    ${amount && html`<p class="amount">${amount}</p>`}
    ${reason && html`<p>${declineReasonTable[reason].payer[language]}</p>`}
    <p>${payTexts[language].outcomes[shown.state].text}</p>
    ${shown.state !== 'cancelled' && shown.receivedAt !== undefined && received(language, shown.receivedAt)}
    ${shown.state === 'review' && live(language)} ${returnLink(language, shop)}
  </section>`;
}

/** When the money arrived; the number of the payment is below, to copy. */
const received = (language: Language, at: string): Html =>
  html`<p class="received">
    <span class="muted">${payTexts[language].receivedAt}</span> ${formatMoment(language, at)}
  </p>`;
