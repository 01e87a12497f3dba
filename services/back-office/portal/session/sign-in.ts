import type { Hono } from 'hono';
import { holderOfLink, signIn } from '#shared/domain/member/decide.ts';
import { readSignInLink } from '#shared/application/members/links.ts';
import type { Words } from '#shared/application/pages/words.ts';
import { clientAddress, subscriberOf } from '#shared/platform/http/client-address.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { html, notice } from '#shared/platform/pages/index.ts';
import { safePath } from '#shared/platform/sessions/safe-path.ts';
import { checkFormToken } from '#shared/platform/sessions/form.ts';
import {
  originOf,
  viewOf,
  type Portal,
  type PortalContext,
  type PortalEnv,
  type View,
} from '../env.ts';
import { show, type Content } from '../frame.ts';
import { issuersOf } from '../members/issuers.ts';
import { findSession, holderKey } from './require.ts';

const texts = {
  title: { ru: 'Вход', en: 'Sign in' },
  how: {
    ru: 'Войти можно по ссылке. Её создаёт администратор вашего магазина в разделе «Сотрудники» или оператор шлюза.',
    en: 'Sign in with a link. An admin of your shop creates it under “Members”, or an operator of the gateway does.',
  },
  button: { ru: 'Войти', en: 'Sign in' },
  ready: { ru: 'Ссылка действует один раз.', en: 'The link works once.' },
  shop: { ru: 'Магазин', en: 'Shop' },
  member: { ru: 'Сотрудник', en: 'Member' },
  issuer: { ru: 'Ссылку создал(а)', en: 'Link created by' },
  used: {
    ru: 'Ссылка уже использована или устарела. Попросите новую.',
    en: 'This link has been used or has expired. Ask for a new one.',
  },
  wait: {
    ru: 'Слишком много попыток. Повторите через (секунд):',
    en: 'Too many attempts. Try again in (seconds):',
  },
} as const satisfies Record<string, Words>;

/** Signing in with a link, and out again. Not behind `requireSession`. */
export function registerSignIn(app: Hono<PortalEnv>, portal: Portal): void {
  app.get('/sign-in', async (c) => {
    const to = safePath(c.req.query('to'));
    const link = c.req.query('link');
    if (link === undefined && (await findSession(c, portal))) return c.redirect(to, 303);
    if (link === undefined) return show(c, portal, signInPage(viewOf(c), {}));
    const found = await look(c, portal, link);
    if ('waitS' in found) return showRefusal(c, portal, found.waitS);
    // The button uses the link, not the page: link previews and scanners must not use it up.
    // Who was sent another's link sees whose it is before it is used.
    const shop = await fromStore(portal.directory.byId(found.shopId));
    const view = viewOf(c);
    const { holder, read } = found;
    const issuer = issuersOf(view, read, holder.link?.issuers ?? []) || holder.name;
    const lets = { member: holder.name, shop: shop?.settings.name ?? found.shopId, issuer };
    return show(c, portal, signInPage(view, { to, link, lets }));
  });

  app.post('/sign-in', async (c) => {
    const values = await portal.readForm(c);
    const link = (values['link'] ?? '').trim();
    const opened = await open(c, portal, link);
    if (!opened) return refuse(c, portal, link);
    const before = portal.cookie.read(c);
    portal.cookie.keep(c, opened.secret);
    const { memberId: member_id, shopId: shop_id } = opened;
    portal.logger.info({ member_id, shop_id, requestId: c.get('requestId') }, 'signed in');
    // The session that this browser had: nobody could sign out of it any more. It may fail, because
    // the link is used by now.
    if (before !== undefined) await portal.sessions.close(before).catch(() => undefined);
    return c.redirect(safePath(values['to']), 303);
  });

  app.post('/sign-out', async (c) => {
    const session = await findSession(c, portal);
    if (session) {
      checkFormToken(session, await portal.readForm(c));
      await portal.sessions.close(session.secret);
    }
    portal.cookie.drop(c);
    return c.redirect('/sign-in', 303);
  });
}

const addressOf = (c: PortalContext, { trustedProxies }: Portal): string =>
  subscriberOf(clientAddress(c, { trustedProxies }));

/** Whom a link lets in now. Of an address that has to wait, the log is not asked. */
async function find(c: PortalContext, portal: Portal, text: string) {
  const { attempts, members, now } = portal;
  const link = readSignInLink(text);
  if (!link || attempts.ownWaitS(addressOf(c, portal)) !== undefined) return undefined;
  const nowIso = new Date(now()).toISOString();
  const read = await members.of(link.shopId);
  const holder = holderOfLink(read, link.linkHash, nowIso);
  return holder && { ...link, nowIso, holder, read };
}

/** The same for a link that is only opened, not used. */
async function look(c: PortalContext, portal: Portal, text: string) {
  const { attempts, looks } = portal;
  const address = addressOf(c, portal);
  const waitS = attempts.ownWaitS(address) ?? looks.ownWaitS(address);
  // Any site can send a visitor here, or have their browser ask as for a picture: neither is an
  // attempt.
  const isPage = ['document', undefined].includes(c.req.header('sec-fetch-dest'));
  if (waitS !== undefined || !isPage) return { waitS };
  const found = await find(c, portal, text);
  if (!found) looks.refused(address);
  return found ?? { waitS };
}

/** Takes the link, by an event of the member: it works once, on whichever instance. */
async function open(c: PortalContext, portal: Portal, text: string) {
  const found = await find(c, portal, text);
  if (!found) return undefined;
  const { members, sessions } = portal;
  const { shopId, linkHash, nowIso, read } = found;
  const { memberId, link } = found.holder;
  // The session first: while the database does not answer, the link stays as good as it was.
  const secret = await sessions.open({
    holder: holderKey(shopId, memberId),
    group: holderKey(shopId, ''),
    credentialHash: linkHash,
  });
  const refusal = await members.decide({
    shopId,
    origin: originOf(c, { member: found.holder, signIn: { issuers: link?.issuers ?? [] } }),
    known: read,
    decide: (state) => signIn(state, { linkHash, nowIso }),
  });
  if (refusal === undefined) return { secret, shopId, memberId };
  await sessions.close(secret);
  return undefined;
}

async function refuse(c: PortalContext, portal: Portal, link: string): Promise<Response> {
  const { attempts, refused } = portal;
  const address = addressOf(c, portal);
  await refused.note(c, link);
  const waitS = attempts.waitS(address);
  if (waitS === undefined) attempts.refused(address);
  return showRefusal(c, portal, waitS);
}

function showRefusal(
  c: PortalContext,
  portal: Portal,
  waitS: number | undefined,
): Response | Promise<Response> {
  const view = viewOf(c);
  if (waitS === undefined)
    return show(c, portal, { ...signInPage(view, { fault: view.t(texts.used) }), status: 401 });
  c.header('retry-after', String(waitS));
  const fault = `${view.t(texts.wait)} ${waitS}`;
  return show(c, portal, { ...signInPage(view, { fault }), status: 429 });
}

type SignIn = {
  to?: string;
  fault?: string;
  link?: string;
  lets?: { member: string; shop: string; issuer: string };
};

function signInPage({ t }: View, { to = '/', fault, link, lets }: SignIn): Content {
  const form = html`<form class="card stack" method="post" action="/sign-in">
    <input type="hidden" name="to" value="${to}" /><input
      type="hidden"
      name="link"
      value="${link ?? ''}"
    />
    ${lets ? html`<p>${t(texts.shop)}: <b>${lets.shop}</b><br />${t(texts.member)}: <b>${lets.member}</b><br />${t(texts.issuer)}: <b>${lets.issuer}</b></p>` : ''}
    <p>${t(texts.ready)}</p>
    <button class="button primary whole" type="submit">${t(texts.button)}</button>
  </form>`;
  const body = html`<div class="sign-in stack">
    <h1>${t(texts.title)}</h1>
    ${fault ? notice('danger', fault, { urgent: true }) : ''}
    ${link === undefined ? html`<p>${t(texts.how)}</p>` : form}
  </div>`;
  return { title: t(texts.title), body };
}
