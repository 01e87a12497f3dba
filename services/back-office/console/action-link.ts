import { html, type Html } from '#shared/platform/pages/index.ts';
import type { ConsoleView } from './env.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import { buildPath, type Action, type Params } from './actions/action.ts';

type ActionLink = {
  text: Words;
  /** Of its path. */
  params?: Params;
  /** What the form is filled in with. */
  query?: Readonly<Record<string, string>>;
  tone?: 'primary' | 'danger' | '';
};

/** A link to an action that looks like a button, only where its route is the reader's. */
export function action(
  view: ConsoleView,
  { route, path }: Pick<Action, 'route' | 'path'>,
  { text, params = {}, query, tone = '' }: ActionLink,
): Html | string {
  if (!view.may(route)) return '';
  const href = buildPath(path, params, query);
  return html`<a class="button small ${tone}" href="${href}">${view.t(text)}</a>`;
}
