import { html, type Html } from '#shared/platform/pages/index.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { testModeBadge } from '../frame/test-mode-badge.ts';
import type { PortalView } from './env.ts';

const texts = {
  all: {
    ru: 'Настоящие деньги в этом магазине не движутся.',
    en: 'No real money moves in this shop.',
  },
  some: {
    ru: 'Часть платежей и выплат этого магазина — тестовые: настоящие деньги в них не движутся.',
    en: 'Some payments and payouts of this shop are tests, in which no real money moves.',
  },
} as const satisfies Record<string, Words>;

/** On every page of a shop that tests, so that its money is not taken for real. */
export function testModeMark(view: PortalView): Html | string {
  const share = view.session?.shop.sandboxShare ?? 'none';
  if (share === 'none') return '';
  return html`<p class="test-mode">
    ${testModeBadge(view)} <span class="muted">${view.t(texts[share])}</span>
  </p>`;
}
