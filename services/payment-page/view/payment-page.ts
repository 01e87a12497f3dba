import {
  html,
  notice,
  htmlPage,
  raw,
  type Html,
  type Language,
  type Preferences,
} from '#shared/platform/pages/index.ts';
import { assets } from '../assets.ts';
import type { ShownShop } from '../shop.ts';
import { isFinal, computePageVersion, type VisiblePayment } from '../visible-payment.ts';
import { payTexts } from '../texts.ts';
import { about } from './support.ts';
import { awaiting } from './awaiting.ts';
import { toHeadline, headlineText } from './headline.ts';
import { outcome } from './outcome.ts';
import { uploadFault, type UploadFault } from './receipt-form.ts';

/** Seconds between refreshes of a browser without script; never on a page with a form. */
const refreshAfterS = 10;

type PaymentPage = {
  preferences: Preferences;
  operationId: string;
  shown: VisiblePayment;
  shop: ShownShop;
  /** No real money moves. */
  isTest: boolean;
  /** Shows a link in place of the form, because a browser without script reloads the page. */
  follow: boolean;
  baseUrl: string;
  nowMs: number;
  fault?: UploadFault | undefined;
};

/** The page of one payment. */
export function renderPaymentPage(options: PaymentPage): Html {
  const { preferences, operationId, shown, shop, isTest, follow, baseUrl, nowMs, fault } = options;
  const { language } = preferences;
  const path = `/${operationId}`;
  const final = isFinal(shown);
  const formShown = shown.state === 'awaiting' && shown.receipt !== undefined && !follow;
  const title = headlineText(toHeadline(language, shown));
  return htmlPage({
    // The page's own address, to which the switches lead.
    preferences: { ...preferences, path },
    title,
    styles: [assets.url('pay.css')],
    scripts: [assets.url('theme.js'), assets.url('copy.js'), assets.url('pay.js')],
    icon: assets.url('icon.svg'),
    head: html`<meta name="format-detection" content="telephone=no" />${
        final || formShown
          ? ''
          : html`<noscript><meta http-equiv="refresh" content="${refreshAfterS}" /></noscript>`
      }`,
    top: brand(shop.name ?? payTexts[language].product),
    width: 'narrow pay',
    body: html`<div
      class="payment"
      data-payment="${computePageVersion(shown)}"
      data-title="${title}"
      ${final && raw('data-final')}
    >
      ${isTest && notice('warning', html`<strong>${payTexts[language].test}</strong>`)}
      ${!final && unread(language)} ${fault && !formShown && uploadFault(language, fault)}
      <div class="columns">
        ${
          shown.state === 'awaiting'
            ? awaiting(language, shown, {
                action: path,
                url: `${baseUrl}${path}`,
                nowMs,
                fault,
                follow,
                shop,
              })
            : outcome(language, shown, shop)
        }
        ${about(language, { shop, operationId })}
      </div>
    </div>`,
  });
}

/** Shown by the script while it can't read the state: what the page shows may be over. */
function unread(language: Language): Html {
  const { title, text, next, check } = payTexts[language].unread;
  const content = html`<p><strong>${title}</strong></p>
    <p>${text}</p>
    <p>${next}</p>
    <button type="button" class="button small" data-check>${check}</button>`;
  return html`<div data-unread hidden>
    ${notice('danger', content, { urgent: true, picture: 'warning' })}
  </div>`;
}

export const brand = (name: string): Html =>
  html`<span class="brand"
    ><img src="${assets.url('icon.svg')}" alt="" width="28" height="28" /><bdi>${name}</bdi></span
  >`;
