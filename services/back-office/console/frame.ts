import { sectionLinks, signedIn, trailTo, type PageStatus, type Trail } from '../frame/frame.ts';
import { isWatching } from '../frame/watched.ts';
import { secretOnce } from '../frame/secret-once.ts';
import { html, notice, page, pictogram, type Html } from '#shared/platform/pages/index.ts';
import type { Console, ConsoleContext, View } from './env.ts';
import { viewOf } from './env.ts';
import { keysButton, keysDialog } from './keys.ts';
import type { Notice } from './notice.ts';
import { outcomesOf, writtenEvents } from './notice-view.ts';
import { roleNames } from './names.ts';
import type { Words } from './words.ts';

/** The sections of the console, in the order of its navigation; `g` and `key` lead there. */
const sections = {
  overview: { path: '/', key: 'h', name: { ru: 'Обзор', en: 'Overview' } },
  operations: { path: '/operations', key: 'o', name: { ru: 'Операции', en: 'Operations' } },
  review: { path: '/review', key: 'r', name: { ru: 'Ручная проверка', en: 'Manual check' } },
  shops: { path: '/shops', key: 's', name: { ru: 'Магазины', en: 'Shops' } },
  providers: { path: '/providers', key: 'p', name: { ru: 'Провайдеры', en: 'Providers' } },
  webhooks: { path: '/webhooks', key: 'w', name: { ru: 'Вебхуки', en: 'Webhooks' } },
  balances: { path: '/balances', key: 'b', name: { ru: 'Балансы', en: 'Balances' } },
  suspense: { path: '/suspense', key: 'u', name: { ru: 'Невыясненные суммы', en: 'Suspense' } },
  statements: { path: '/statements', key: 't', name: { ru: 'Выписки', en: 'Statements' } },
  projections: { path: '/projections', key: 'm', name: { ru: 'Модели чтения', en: 'Read models' } },
  activity: { path: '/activity', key: 'a', name: { ru: 'Действия', en: 'Activity' } },
  audits: { path: '/audits', key: 'i', name: { ru: 'Аудит', en: 'Audits' } },
  operators: { path: '/operators', key: 'k', name: { ru: 'Доступ', en: 'Access' } },
} as const satisfies Record<string, { path: string; key: string; name: Words }>;
export type Section = keyof typeof sections;

export type Content = {
  title: string;
  /** The one that is marked in the navigation. */
  section?: Section;
  /** Pages above this one. */
  trail?: Trail;
  body: Html;
};

const texts = {
  brand: { ru: 'Консоль шлюза', en: 'Gateway console' },
  console: { ru: 'Консоль', en: 'Console' },
  search: { ru: 'Поиск операций', en: 'Find operations' },
  searchHint: {
    ru: 'Начало номера операции или номера в магазине, клиент, сумма, *1234, день, время  ( / )',
    en: 'Start of an ID or merchant operation ID, client, amount, *1234, day, time  ( / )',
  },
} as const satisfies Record<string, Words>;

/** A page of the console as it is answered. */
export async function show(
  c: ConsoleContext,
  { assets, sessions }: Pick<Console, 'assets' | 'sessions'>,
  content: Content & { status?: PageStatus },
): Promise<Response> {
  const view = viewOf(c);
  // If it can't be read now, it stays for a later page.
  const sessionNotice =
    view.session &&
    !isWatching(c) &&
    (await sessions.takeNotice(view.session).catch(() => undefined));
  const written = page({
    preferences: view.preferences,
    title: `${content.title} · ${view.t(texts.console)}`,
    styles: [assets.url('console.css')],
    scripts: [assets.url('console.js')],
    icon: assets.url('icon.svg'),
    width: 'wide console',
    top: top(view, content.section),
    body: html`${trailTo(view, content.title, content.trail)}${sessionNotice ? resultNotice(view, sessionNotice) : ''}${content.body}${view.session ? keysDialog(view, sections) : ''}`,
  });
  return c.html(written, content.status ?? 200);
}

function top(view: View, current: Section | undefined): Html {
  const { t, session } = view;
  const brand = html`<a class="brand" href="/"
    >${pictogram('circleCheck', 22)}<span>${t(texts.brand)}</span></a
  >`;
  if (!session) return brand;
  const { name, role } = session.holder;
  return html`${brand}${searchBox(view)} ${sectionLinks(view, sections, current)}
  ${keysButton(view)}${signedIn(view, { name, role: roleNames[role], formToken: session.formToken })}`;
}

/** On every page; `/` leads to it. */
function searchBox({ t, preferences }: View): Html {
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

function resultNotice(view: View, { done, events, secret, outcomes, hadNoEffect }: Notice): Html {
  const content = html`<p><strong>${done}</strong></p>
    ${outcomes ? outcomesOf(view, outcomes) : ''}${writtenEvents(view, events)}`;
  return html`<div class="done">
    ${notice(hadNoEffect || outcomes?.some((each) => !each.done) ? 'warning' : 'success', content, { urgent: true })}${secret ? secretOnce(view, secret) : ''}
  </div>`;
}
