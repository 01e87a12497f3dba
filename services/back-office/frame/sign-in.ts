import type { Context, Env, Hono } from 'hono';
import type { Words } from '#shared/application/pages/translations.ts';
import { clientAddress, subscriberPrefix } from '#shared/platform/http/client-address.ts';
import type { RefusedCredentials } from '#shared/platform/http/refused-credentials.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { checkFormToken, type Values } from '#shared/platform/sessions/form.ts';
import { hiddenField, type View } from './components.ts';
import type { PageStatus } from './problem-page.ts';
import { closeSession } from './session.ts';
import type { Site, SiteSession } from './site.ts';

const texts = {
  title: { ru: 'Вход', en: 'Sign in' },
  button: { ru: 'Войти', en: 'Sign in' },
  ready: { ru: 'Ссылка действует один раз.', en: 'The link works once.' },
  wait: {
    ru: 'Слишком много попыток. Повторите через (секунд):',
    en: 'Too many attempts. Try again in (seconds):',
  },
} as const satisfies Record<string, Words>;

type SignIn = {
  /** The page to go to. */
  to: string;
  fault?: string | undefined;
  /** The credential; without it `instead` is shown in place of the form. */
  fields?: Html | undefined;
  instead?: Html;
};

export function signInPage({ t }: View, { to, fault, fields, instead = html`` }: SignIn) {
  const form = html`<form class="card stack" method="post" action="/sign-in">
    ${hiddenField('to', to)}${fields}
    <button class="button primary whole" type="submit">${t(texts.button)}</button>
  </form>`;
  const body = html`<div class="sign-in stack">
    <h1>${t(texts.title)}</h1>
    ${fault && notice('danger', fault, { urgent: true })} ${fields ? form : instead}
  </div>`;
  return { title: t(texts.title), body };
}

/** The button uses a link, not the page: link previews and scanners must not use it up. */
export const linkFields = ({ t }: View, link: string, whose: Html | string = ''): Html =>
  html`${hiddenField('link', link)}${whose}
    <p>${t(texts.ready)}</p>`;

/** Attempts are counted by it. */
export const clientSubnet = (c: Context, options: { trustedProxies: number }): string =>
  subscriberPrefix(clientAddress(c, options));

type Counters = Pick<Site, 'attempts'> & { trustedProxies: number; refused: RefusedCredentials };

/** Counts a refused sign-in; how long its address has to wait, if there were too many. */
export async function countRefused(
  c: Context,
  { attempts, refused, trustedProxies }: Counters,
  credential: string,
): Promise<number | undefined> {
  const address = clientSubnet(c, { trustedProxies });
  await refused.note(c, credential);
  const waitS = attempts.waitS(address);
  if (waitS === undefined) attempts.refused(address);
  return waitS;
}

/** The page that explains why the sign-in failed. */
export function explainRefusal(
  c: Context,
  { t }: View,
  { waitS, fault }: { waitS: number | undefined; fault: Words },
): { fault: string; status: PageStatus } {
  if (waitS === undefined) return { fault: t(fault), status: 401 };
  c.header('retry-after', String(waitS));
  return { fault: `${t(texts.wait)} ${waitS}`, status: 429 };
}

export function registerSignOut<E extends Env>(
  app: Hono<E>,
  site: Site,
  using: {
    findSession(c: Context<E>, site: Site): Promise<SiteSession | undefined>;
    readForm(c: Context<E>): Promise<Values>;
  },
): void {
  app.post('/sign-out', async (c) => {
    const session = await using.findSession(c, site);
    if (session) {
      checkFormToken(session, await using.readForm(c));
      await closeSession(c, site, session);
    } else site.cookie.drop(c);
    return c.redirect('/sign-in', 303);
  });
}
