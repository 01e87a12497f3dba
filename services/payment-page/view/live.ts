import { html, type Html, type Language } from '#shared/platform/pages/index.ts';
import { payTexts } from '../texts.ts';

/**
 * The query of the page without its form, which alone refreshes itself without script, because a
 * reload would empty a form.
 */
export const followQuery = 'follow';

/** The notice that the page updates itself; without script, a link instead. */
export function live(language: Language, { form = false } = {}): Html {
  const { live: follows, refresh } = payTexts[language];
  const again = form ? `?${followQuery}` : '?';
  return html`<p class="live muted small" hidden data-live><span class="dot"></span>${follows}</p>
    <noscript><a class="button whole" href="${again}">${refresh}</a></noscript>`;
}
