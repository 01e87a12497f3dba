import type { Hono } from 'hono';
import { clientAddress, subscriberOf } from '#shared/platform/http/client-address.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { findHolder, type Holder } from '../../api/authentication.ts';
import { viewOf, type Console, type ConsoleContext, type ConsoleEnv, type View } from '../env.ts';
import { checkFormToken, readForm } from '#shared/platform/sessions/form.ts';
import { safePath } from '#shared/platform/sessions/safe-path.ts';
import { show } from '../frame.ts';
import type { Words } from '../words.ts';
import { takeOverFilters } from '../saved-filters.ts';
import { holderKey } from './holder.ts';
import { readLink } from './links.ts';
import { findSession } from './require.ts';
import { takeLink } from './used-links.ts';

const texts = {
  title: { ru: 'Вход', en: 'Sign in' },
  token: { ru: 'Токен', en: 'Token' },
  hint: {
    ru: 'Токен администратора, оператора или аудитора. Первый — в ADMIN_TOKEN; остальные выпускаются в разделе «Доступ».',
    en: 'The token of an admin, operator or auditor. The first one is ADMIN_TOKEN; issue others under “Access”.',
  },
  button: { ru: 'Войти', en: 'Sign in' },
  ready: {
    ru: 'Ссылка действует один раз.',
    en: 'The link works once.',
  },
  used: {
    ru: 'Ссылка уже использована или устарела. Создайте новую или войдите с токеном.',
    en: 'This link has been used or has expired. Create a new one, or sign in with a token.',
  },
  refused: { ru: 'Токен недействителен.', en: 'This token is not valid.' },
  wait: {
    ru: 'Слишком много попыток. Повторите через (секунд):',
    en: 'Too many attempts. Try again in (seconds):',
  },
} as const satisfies Record<string, Words>;

const maxTokenLength = 512;

/** Signing in with a token of the admin API, and out again. Not behind `requireSession`. */
export function registerSignIn(app: Hono<ConsoleEnv>, console: Console): void {
  app.get('/sign-in', async (c) => {
    const to = safePath(c.req.query('to'));
    if (await findSession(c, console)) return c.redirect(to, 303);
    // The button uses the link, not the page: link previews and scanners must not use it up.
    return show(c, console, signInPage(viewOf(c), { to, link: c.req.query('link') }));
  });

  app.post('/sign-in', async (c) => {
    const values = await readForm(c);
    const to = safePath(values['to']);
    const link = values['link'];
    const token = (link ?? values['token'] ?? '').trim();
    const holder =
      token === '' || token.length > maxTokenLength
        ? undefined
        : link === undefined
          ? await findHolder(console, token)
          : await holderOfLink(console, token);
    // The token first: a valid one works, however many attempts from the same address failed.
    if (!holder)
      return refuse(c, console, { to, token, why: link === undefined ? 'refused' : 'used' });
    const { name: operator, tokenId: token_id, tokenHash: credentialHash } = holder;
    const before = console.cookie.read(c);
    console.cookie.keep(
      c,
      await console.sessions.open({ holder: holderKey(holder), credentialHash }),
    );
    console.logger.info({ operator, token_id, requestId: c.get('requestId') }, 'signed in');
    await takeOverFilters(console, holder).catch((error: unknown) =>
      console.logger.warn({ err: error }, 'saved filters could not be copied to the new token'),
    );
    // Otherwise the previous session could never be signed out.
    if (before !== undefined) await console.sessions.close(before).catch(() => undefined);
    return c.redirect(to, 303);
  });

  app.post('/sign-out', async (c) => {
    const session = await findSession(c, console);
    if (session) {
      checkFormToken(session, await readForm(c));
      await console.sessions.close(session.secret);
    }
    console.cookie.drop(c);
    return c.redirect('/sign-in', 303);
  });
}

/** The holder of a link, on its first use. */
async function holderOfLink(
  { fixedTokens, now, db }: Console,
  text: string,
): Promise<Holder | undefined> {
  const link = readLink(text, { fixedTokens, nowMs: now() });
  return link && (await takeLink(db, link, now())) ? link.holder : undefined;
}

async function refuse(
  c: ConsoleContext,
  console: Console,
  { to, token, why }: { to: string; token: string; why: 'refused' | 'used' },
): Promise<Response> {
  const view = viewOf(c);
  const { trustedProxies, attempts, refused } = console;
  const address = subscriberOf(clientAddress(c, { trustedProxies }));
  await refused.note(c, token);
  const waitS = attempts.waitS(address);
  if (waitS === undefined) {
    attempts.refused(address);
    return show(c, console, {
      ...signInPage(view, { to, fault: view.t(texts[why]) }),
      status: 401,
    });
  }
  c.header('retry-after', String(waitS));
  const fault = `${view.t(texts.wait)} ${waitS}`;
  return show(c, console, { ...signInPage(view, { to, fault }), status: 429 });
}

type SignIn = { to: string; fault?: string; link?: string | undefined };

function signInPage({ t }: View, { to, fault, link }: SignIn) {
  const body: Html = html`<div class="sign-in stack">
    <h1>${t(texts.title)}</h1>
    ${fault ? notice('danger', fault, { urgent: true }) : ''}
    <form class="card stack" method="post" action="/sign-in">
      <input type="hidden" name="to" value="${to}" />
      ${link === undefined ? tokenField({ t }, fault) : linkField({ t }, link)}
      <button class="button primary whole" type="submit">${t(texts.button)}</button>
    </form>
  </div>`;
  return { title: t(texts.title), body };
}

const linkField = ({ t }: Pick<View, 't'>, link: string): Html =>
  html`<input type="hidden" name="link" value="${link}" />
    <p>${t(texts.ready)}</p>`;

function tokenField({ t }: Pick<View, 't'>, fault: string | undefined): Html {
  return html`<div class="field">
    <label for="token">${t(texts.token)}</label>
    <input
      id="token"
      name="token"
      type="password"
      required
      autocomplete="current-password"
      maxlength="${maxTokenLength}"
      aria-describedby="token-hint"
      ${fault ? html` aria-invalid="true"` : ''}
    />
    <p class="hint" id="token-hint">${t(texts.hint)}</p>
  </div>`;
}
