import { html, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './env.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** A link that looks like a button, only where its route is the reader's. */
export function action(
  view: View,
  {
    route,
    href,
    text,
    tone = '',
  }: { route: string; href: string; text: Words; tone?: 'primary' | 'danger' | '' },
): Html | string {
  if (!view.may(route)) return '';
  return html`<a class="button small ${tone}" href="${href}">${view.t(text)}</a>`;
}
