import { copyButton, html, type Html, type Language } from '#shared/platform/pages/index.ts';
import { contactLinks } from './contact-links.ts';
import type { ShownShop } from '../shop.ts';
import { payTexts } from '../texts.ts';

/** The contact for questions, and the number to quote, on every page of a payment. */
export function about(
  language: Language,
  { shop: { support, order }, operationId }: { shop: ShownShop; operationId: string },
): Html {
  const text = payTexts[language].about;
  const payment = html`<code>${operationId}</code> ${copyButton(language, {
      text: operationId,
      label: payTexts[language].copy.payment,
    })}`;
  return html`<section class="about" aria-labelledby="about-title">
    <h2 id="about-title">${text.title}</h2>
    <p class="muted">${text.quote}</p>
    <dl>
      ${support && line(text.support, html`<bdi>${contactLinks(support)}</bdi>`)}
      ${order && line(text.order, html`<bdi>${order}</bdi>`)} ${line(text.payment, payment)}
    </dl>
  </section>`;
}

const line = (name: string, value: Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** The link back to the shop, never a redirect; it does not reveal the page's address. */
export const returnLink = (language: Language, { returnUrl }: ShownShop): Html | undefined =>
  returnUrl === undefined
    ? undefined
    : html`<a class="button primary" href="${returnUrl}" rel="noopener noreferrer"
        >${payTexts[language].returnToShop}</a
      >`;
