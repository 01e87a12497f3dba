import { memberRoleNames } from '../frame/names.ts';
import { sectionLinks, signedIn, trailTo, type PageStatus, type Trail } from '../frame/frame.ts';
import { isWatching } from '../frame/watched.ts';
import { secretOnce } from '../frame/secret-once.ts';
import type { Words } from '#shared/application/pages/words.ts';
import { html, notice, page, pictogram, type Html } from '#shared/platform/pages/index.ts';
import { linkNotice } from './members/link-notice.ts';
import { endpointNotice } from './webhooks/notice.ts';
import { viewOf, type Notice, type Portal, type PortalContext, type View } from './env.ts';

/** The sections of the portal, in the order of its navigation. */
export const sections = {
  operations: { path: '/operations', name: { ru: 'Операции', en: 'Operations' } },
  payouts: { path: '/payouts', name: { ru: 'Выплаты файлом', en: 'Payouts in bulk' } },
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
  trail?: Trail;
  body: Html;
  status?: PageStatus;
};

const texts = {
  portal: { ru: 'Кабинет магазина', en: 'Merchant portal' },
} as const satisfies Record<string, Words>;

/** A page of the portal as it is answered. */
export async function show(
  c: PortalContext,
  { assets, sessions, seenLinks }: Pick<Portal, 'assets' | 'sessions' | 'seenLinks'>,
  content: Content,
): Promise<Response> {
  const view = viewOf(c);
  // If it can't be taken now, it stays for a later page.
  const said =
    view.session &&
    !isWatching(c) &&
    (await sessions.takeNotice(view.session).catch(() => undefined));
  const written = page({
    preferences: view.preferences,
    title: `${content.title} · ${view.session?.shop.name ?? view.t(texts.portal)}`,
    styles: [assets.url('portal.css')],
    scripts: [assets.url('portal.js')],
    icon: assets.url('icon.svg'),
    width: 'wide console',
    top: top(view, content.section),
    body: html`${trailTo(view, content.title, content.trail)}${linkNotice(c, { seenLinks }, view)}${endpointNotice(view)}${said ? sayDone(view, said) : ''}${content.body}`,
  });
  return c.html(written, content.status ?? 200);
}

export const formToken = ({ session }: View): Html =>
  html`<input type="hidden" name="form_token" value="${session?.formToken ?? ''}" />`;

function top(view: View, current: Section | undefined): Html {
  const { t, session } = view;
  const name = session?.shop.name ?? t(texts.portal);
  const brand = html`<a class="brand" href="/"
    >${pictogram('circleCheck', 22)}<span>${name}</span></a
  >`;
  if (!session) return brand;
  const { member } = session;
  return html`${brand} ${sectionLinks(view, sections, current)}
  ${signedIn(view, { name: member.name, role: memberRoleNames[member.role], formToken: session.formToken })}`;
}

const sayDone = (view: View, { done, secret }: Notice): Html =>
  html`<div class="done">
    ${notice('success', html`<p><strong>${done}</strong></p>`, { urgent: true })}${secret ? secretOnce(view, secret) : ''}
  </div>`;
