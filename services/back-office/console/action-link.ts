import { html, type Html } from '#shared/platform/pages/index.ts';
import type { ConsoleView } from './env.ts';
import type { Words } from '#shared/application/pages/translations.ts';

type ActionLink = { route: string; href: string; text: Words; tone?: 'primary' | 'danger' | '' };

/** A link that looks like a button, only where its route is the reader's. */
export function action(
  view: ConsoleView,
  { route, href, text, tone = '' }: ActionLink,
): Html | string {
  if (!view.may(route)) return '';
  return html`<a class="button small ${tone}" href="${href}">${view.t(text)}</a>`;
}
