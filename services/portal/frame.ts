import { memberRoleNames } from '#shared/application/pages/names.ts';
import { secretOnce } from '#shared/application/pages/secret-once.ts';
import type { Words } from '#shared/application/pages/words.ts';
import { html, notice, page, pictogram, type Html } from '#shared/platform/pages/index.ts';
import { viewOf, type Notice, type Portal, type PortalContext, type View } from './env.ts';

/** The sections of the portal, in the order of its navigation. */
export const sections = {
  operations: { path: '/operations', name: { ru: 'Операции', en: 'Operations' } },
  balances: { path: '/balances', name: { ru: 'Балансы', en: 'Balances' } },
  webhooks: { path: '/webhooks', name: { ru: 'Вебхуки', en: 'Webhooks' } },
  keys: { path: '/keys', name: { ru: 'API-ключи', en: 'API keys' } },
  members: { path: '/members', name: { ru: 'Сотрудники', en: 'Members' } },
} as const satisfies Record<string, { path: string; name: Words }>;
export type Section = keyof typeof sections;

export type Content = {
  title: string;
  /** The one that is marked in the navigation. */
  section?: Section;
  /** Pages above this one. */
  trail?: readonly { href: string; text: string }[];
  body: Html;
  status?: 200 | 400 | 401 | 403 | 404 | 409 | 412 | 429 | 500 | 503;
};

const texts = {
  navigation: { ru: 'Разделы', en: 'Sections' },
  trail: { ru: 'Где вы', en: 'You are here' },
  signOut: { ru: 'Выйти', en: 'Sign out' },
  portal: { ru: 'Кабинет магазина', en: 'Merchant portal' },
} as const satisfies Record<string, Words>;

/** A page of the portal as it is answered. */
export async function show(
  c: PortalContext,
  { assets, sessions }: Pick<Portal, 'assets' | 'sessions'>,
  content: Content,
): Promise<Response> {
  const view = viewOf(c);
  // While it can't be taken it stays, for a later page.
  const said = view.session && (await sessions.takeNotice(view.session).catch(() => undefined));
  const written = page({
    preferences: view.preferences,
    title: `${content.title} · ${view.session?.shop.name ?? view.t(texts.portal)}`,
    styles: [assets.url('portal.css')],
    scripts: [assets.url('portal.js')],
    icon: assets.url('icon.svg'),
    width: 'wide console',
    top: top(view, content.section),
    body: html`${trail(view, content)}${said ? sayDone(view, said) : ''}${content.body}`,
  });
  return c.html(written, content.status ?? 200);
}

export const formToken = ({ session }: View): Html =>
  html`<input type="hidden" name="form_token" value="${session?.formToken ?? ''}" />`;

function top(view: View, current: Section | undefined): Html {
  const { t, session } = view;
  const name = session?.shop.name ?? t(texts.portal);
  const brand = html`<a class="brand" href="/">${pictogram('circleCheck', 22)}<span>${name}</span></a>`;
  if (!session) return brand;
  const { member } = session;
  return html`${brand}
    <nav class="sections" aria-label="${t(texts.navigation)}">
      <ul>
        ${Object.entries(sections).map(
          ([key, { path, name: label }]) =>
            html`<li>
              <a href="${path}" ${key === current ? html` aria-current="page"` : ''}>${t(label)}</a>
            </li>`,
        )}
      </ul>
    </nav>
    <form class="who" method="post" action="/sign-out">
      ${formToken(view)}
      <span class="who-name"
        ><strong>${member.name}</strong> <span class="muted">${t(memberRoleNames[member.role])}</span></span
      >
      <button class="button quiet small" type="submit">${t(texts.signOut)}</button>
    </form>`;
}

function trail({ t }: View, { trail: above = [], title }: Content): Html | string {
  if (above.length === 0) return '';
  return html`<nav class="trail" aria-label="${t(texts.trail)}">
    <ol>
      ${above.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
      <li aria-current="page">${title}</li>
    </ol>
  </nav>`;
}

const sayDone = (view: View, { done, secret }: Notice): Html =>
  html`<div class="done">
    ${notice('success', html`<p><strong>${done}</strong></p>`, { urgent: true })}${secret ? secretOnce(view, secret) : ''}
  </div>`;
