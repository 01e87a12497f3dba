import { useSignInLink } from '#shared/application/members/commands.ts';
import { holderOfLink } from '#shared/domain/member/decide.ts';
import { readSignInLink } from '#shared/application/members/links.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { html } from '#shared/platform/pages/index.ts';
import { safePath } from '#shared/platform/sessions/safe-path.ts';
import { trimmedValue } from '#shared/platform/sessions/form.ts';
import {
  memberOrigin,
  portalView,
  type Portal,
  type PortalView,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import { keepSession } from '../../frame/session.ts';
import {
  clientSubnet,
  countRefused,
  linkFields,
  explainRefusal,
  registerSignOut,
  signInPage,
} from '../../frame/sign-in.ts';
import type { PageContent } from '../../frame/pages.ts';
import { show } from '../frame.ts';
import { describeIssuers } from '../members/issuers.ts';
import { findMemberSession, memberHolderKey } from './require.ts';

const texts = {
  how: {
    ru: 'Войти можно по ссылке. Её создаёт администратор вашего магазина в разделе «Сотрудники» или оператор шлюза.',
    en: 'Sign in with a link. An admin of your shop creates it under “Members”, or an operator of the gateway does.',
  },
  member: { ru: 'Сотрудник', en: 'Member' },
  issuer: { ru: 'Ссылку создал(а)', en: 'Link created by' },
  used: {
    ru: 'Ссылка уже использована или устарела. Попросите новую.',
    en: 'This link has been used or has expired. You need a new one.',
  },
} as const satisfies Record<string, Words>;

/** Signing in with a link, and out again. Not behind `requireMemberSession`. */
export function registerPortalSignIn(app: PortalApp, portal: Portal): void {
  app.get('/sign-in', async (c) => {
    const to = safePath(c.req.query('to'));
    const link = c.req.query('link');
    if (link === undefined && (await findMemberSession(c, portal))) return c.redirect(to, 303);
    if (link === undefined) return show(c, portal, renderSignIn(portalView(c), {}));
    const found = await lookUp(c, portal, link);
    if ('waitS' in found) return showRefusal(c, portal, found.waitS);
    // A reader of another member's link sees whose it is before it is used.
    const shop = await fromStore(portal.directory.byId(found.shopId));
    const view = portalView(c);
    const { holder, read } = found;
    const issuer = describeIssuers(view, read, holder.link?.issuers ?? []) || holder.name;
    const lets = { member: holder.name, shop: shop?.settings.name ?? found.shopId, issuer };
    return show(c, portal, renderSignIn(view, { to, link, lets }));
  });

  app.post('/sign-in', async (c) => {
    const values = await portal.readForm(c);
    const link = trimmedValue(values, 'link');
    const opened = await open(c, portal, link);
    if (!opened) return refuse(c, portal, link);
    await keepSession(c, portal, opened.secret);
    const { memberId: member_id, shopId: shop_id } = opened;
    portal.logger.info({ member_id, shop_id, requestId: c.get('requestId') }, 'signed in');
    return c.redirect(safePath(values['to']), 303);
  });

  const { readForm } = portal;
  registerSignOut(app, portal, { findSession: (c) => findMemberSession(c, portal), readForm });
}

/** The member of a link. For an address that has to wait, the log is not read. */
async function find(c: PortalContext, portal: Portal, text: string) {
  const { attempts, members, now } = portal;
  const link = readSignInLink(text);
  if (!link || attempts.ownWaitS(clientSubnet(c, portal)) !== undefined) return undefined;
  const nowIso = new Date(now()).toISOString();
  const read = await members.of(link.shopId);
  const holder = holderOfLink(read, link.linkHash, nowIso);
  return holder && { ...link, nowIso, holder, read };
}

/** Finds a link that is only opened, not used. */
async function lookUp(c: PortalContext, portal: Portal, text: string) {
  const { attempts, lookups } = portal;
  const address = clientSubnet(c, portal);
  const waitS = attempts.ownWaitS(address) ?? lookups.ownWaitS(address);
  // Any site can send a visitor here, or embed the address as a picture: neither is an attempt.
  const isPage = ['document', undefined].includes(c.req.header('sec-fetch-dest'));
  if (waitS !== undefined || !isPage) return { waitS };
  const found = await find(c, portal, text);
  if (!found) lookups.refused(address);
  return found ?? { waitS };
}

/** Uses the link up by an event of the member: it works once, on any instance. */
async function open(c: PortalContext, portal: Portal, text: string) {
  const found = await find(c, portal, text);
  if (!found) return undefined;
  const { members, sessions } = portal;
  const { shopId, linkHash, nowIso, read } = found;
  const { memberId, link } = found.holder;
  // The session first: while the database does not answer, the link remains usable.
  const secret = await sessions.open({
    holder: memberHolderKey(shopId, memberId),
    group: memberHolderKey(shopId, ''),
    credentialHash: linkHash,
  });
  const isValid = await useSignInLink(members, {
    shopId,
    linkHash,
    nowIso,
    fromState: read,
    origin: memberOrigin(c, { member: found.holder, signIn: { issuers: link?.issuers ?? [] } }),
  });
  if (isValid) return { secret, shopId, memberId };
  await sessions.close(secret);
  return undefined;
}

const refuse = async (c: PortalContext, portal: Portal, link: string): Promise<Response> =>
  showRefusal(c, portal, await countRefused(c, portal, link));

function showRefusal(
  c: PortalContext,
  portal: Portal,
  waitS: number | undefined,
): Promise<Response> {
  const view = portalView(c);
  const { fault, status } = explainRefusal(c, view, { waitS, fault: texts.used });
  return show(c, portal, { ...renderSignIn(view, { fault }), status });
}

type SignIn = {
  to?: string;
  fault?: string;
  link?: string;
  lets?: { member: string; shop: string; issuer: string };
};

function renderSignIn(view: PortalView, { to = '/', fault, link, lets }: SignIn): PageContent {
  const { t } = view;
  const whose = lets
    ? html`<p>
        ${t(common.shop)}: <b>${lets.shop}</b><br />${t(texts.member)}: <b>${lets.member}</b
        ><br />${t(texts.issuer)}: <b>${lets.issuer}</b>
      </p>`
    : '';
  return signInPage(view, {
    to,
    fault,
    fields: link === undefined ? undefined : linkFields(view, link, whose),
    instead: html`<p>${t(texts.how)}</p>`,
  });
}
