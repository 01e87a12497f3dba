import { renderProblem, type RenderProblem } from '#shared/platform/http/problems.ts';
import { createPages } from '../frame/pages.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { toConsoleView, type Console, type ConsoleContext, type ConsoleView } from './env.ts';
import { consoleFiles } from './files.ts';
import { keysButton, keysDialog } from './keys.ts';
import { roleNames } from './role-names.ts';
import { consoleSections } from './pages.ts';
import { consoleProblemTexts } from './problems.ts';
import type { Words } from '#shared/application/pages/translations.ts';

const texts = {
  brand: { ru: 'Консоль шлюза', en: 'Gateway console' },
  console: { ru: 'Консоль', en: 'Console' },
  search: { ru: 'Поиск операций', en: 'Find operations' },
  searchHint: {
    ru: 'Сумма, день, номер или его начало, клиент, последние 4 цифры, метаданные  ( / )',
    en: 'An amount, a day, an ID or its beginning, a client, last 4 digits, metadata  ( / )',
  },
} as const satisfies Record<string, Words>;

/** The navigation: `g` and its key lead to a section. */
const openSections = (view: ConsoleView) => consoleSections.filter(({ route }) => view.may(route));

const { show, showProblem, renderPage } = createPages<ConsoleContext, ConsoleView, Console>({
  files: consoleFiles,
  toView: toConsoleView,
  brand: ({ t }) => t(texts.brand),
  title: ({ t }) => t(texts.console),
  sections: openSections,
  user: ({ holder: { name, role } }) => ({ name, role: roleNames[role] }),
  search: searchBox,
  keys: keysButton,
  below: (view) => (view.session ? keysDialog(view, openSections(view)) : ''),
  problems: {
    texts: consoleProblemTexts,
    links: ({ t }) =>
      html`<a href="/">${t({ ru: 'К обзору', en: 'To the overview' })}</a> ·
        <a href="/operations">${t({ ru: 'К операциям', en: 'To the operations' })}</a>`,
    details: true,
  },
});

export { show, showProblem };

/**
 * Renders a problem for a request that never reaches the app. Programs use the admin API on the
 * same port: where the headers are known, only who accepts HTML gets a page.
 */
export const renderUnread: RenderProblem = (problem, request) =>
  request.headers && !request.headers.accept?.includes('text/html')
    ? renderProblem(problem, request)
    : renderPage(problem, request);

/** On every page; `/` leads to it. */
function searchBox({ t, preferences }: ConsoleView): Html {
  const { pathname, searchParams } = new URL(preferences.path, 'http://page');
  const line = pathname === '/operations' ? (searchParams.get('q') ?? '') : '';
  return html`<form class="find" method="get" action="/operations" role="search">
    <input
      name="q"
      type="search"
      value="${line}"
      aria-label="${t(texts.search)}"
      placeholder="${t(texts.searchHint)}"
      title="${t(texts.searchHint)}"
      aria-keyshortcuts="/"
      data-key="/"
      maxlength="200"
      spellcheck="false"
      autocomplete="off"
    />
  </form>`;
}
