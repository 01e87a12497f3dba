import { html, page, raw, type Html, type Preferences } from '#shared/platform/pages/index.ts';
import { assets } from '../assets.ts';
import type { ShownShop } from '../shop.ts';
import { isFinal, versionOf, type Shown } from '../visible-payment.ts';
import { texts } from '../texts.ts';
import { about } from './support.ts';
import { awaiting } from './awaiting.ts';
import { headlineOf, titleOf } from './headline.ts';
import { outcome } from './outcome.ts';
import { uploadFault, type UploadFault } from './receipt-form.ts';

/** Seconds between refreshes of a browser without script; never on a page with a form. */
const refreshAfterS = 10;

type PaymentPage = {
  preferences: Preferences;
  operationId: string;
  shown: Shown;
  shop: ShownShop;
  /** Shows a link in place of the form, because a browser without script reloads the page. */
  follow: boolean;
  baseUrl: string;
  nowMs: number;
  fault?: UploadFault | undefined;
};

/** The page of one payment. */
export function paymentPage(options: PaymentPage): Html {
  const { preferences, operationId, shown, shop, follow, baseUrl, nowMs, fault } = options;
  const { language } = preferences;
  const path = `/${operationId}`;
  const final = isFinal(shown);
  const formShown = shown.state === 'awaiting' && shown.receipt !== undefined && !follow;
  const title = titleOf(headlineOf(language, shown));
  return page({
    // The page's own address, to which the switches lead.
    preferences: { ...preferences, path },
    title,
    styles: [assets.url('pay.css')],
    scripts: [assets.url('theme.js'), assets.url('copy.js'), assets.url('pay.js')],
    icon: assets.url('icon.svg'),
    head:
      final || formShown
        ? html``
        : html`<noscript><meta http-equiv="refresh" content="${refreshAfterS}" /></noscript>`,
    top: brand(shop.name ?? texts[language].product),
    width: 'narrow pay',
    body: html`<div
      class="payment"
      data-payment="${versionOf(shown)}"
      data-title="${title}"
      ${final && raw('data-final')}
    >
      ${fault && !formShown && uploadFault(language, fault)}
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
    </div>`,
  });
}

export const brand = (name: string): Html =>
  html`<span class="brand"
    ><img src="${assets.url('icon.svg')}" alt="" width="28" height="28" /><bdi>${name}</bdi></span
  >`;
