import { html, type Html } from '#shared/platform/pages/index.ts';
import { findHolder, type Holder } from '../../api/authentication.ts';
import {
  consoleView,
  type Console,
  type ConsoleView,
  type ConsoleApp,
  type ConsoleContext,
} from '../env.ts';
import { readFormValues } from '#shared/platform/sessions/form.ts';
import { safePath } from '#shared/platform/sessions/safe-path.ts';
import { keepSession } from '../../frame/session.ts';
import {
  countRefused,
  linkFields,
  explainRefusal,
  registerSignOut,
  signInPage,
} from '../../frame/sign-in.ts';
import { show } from '../frame.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { takeOverFilters } from '../saved-filters.ts';
import { operatorHolderKey } from './holder.ts';
import { readLink } from './links.ts';
import { findOperatorSession } from './require.ts';
import { takeLink } from './used-links.ts';

const texts = {
  hint: {
    ru: 'Токен администратора, оператора или аудитора. Первый — в ADMIN_TOKEN; остальные выпускаются в разделе «Доступ».',
    en: 'The token of an admin, operator or auditor. The first one is ADMIN_TOKEN; issue others under “Access”.',
  },
  used: {
    ru: 'Ссылка уже использована или устарела. Создайте новую или войдите с токеном.',
    en: 'This link has been used or has expired. Create a new one, or sign in with a token.',
  },
  refused: { ru: 'Токен недействителен.', en: 'This token is not valid.' },
} as const satisfies Record<string, Words>;

const maxTokenLength = 512;

/** Signing in with a token of the admin API, and out again. Not behind `requireOperatorSession`. */
export function registerConsoleSignIn(app: ConsoleApp, console: Console): void {
  app.get('/sign-in', async (c) => {
    const to = safePath(c.req.query('to'));
    if (await findOperatorSession(c, console)) return c.redirect(to, 303);
    return show(c, console, renderSignIn(consoleView(c), { to, link: c.req.query('link') }));
  });

  app.post('/sign-in', async (c) => {
    const values = await readFormValues(c);
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
    const opened = await console.sessions.open({
      holder: operatorHolderKey(holder),
      credentialHash,
    });
    await keepSession(c, console, opened);
    console.logger.info({ operator, token_id, requestId: c.get('requestId') }, 'signed in');
    await takeOverFilters(console, holder).catch((error: unknown) =>
      console.logger.warn({ err: error }, 'saved filters could not be copied to the new token'),
    );
    return c.redirect(to, 303);
  });

  registerSignOut(app, console, {
    findSession: (c) => findOperatorSession(c, console),
    readForm: readFormValues,
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
  const view = consoleView(c);
  const waitS = await countRefused(c, console, token);
  const { fault, status } = explainRefusal(c, view, { waitS, fault: texts[why] });
  return show(c, console, { ...renderSignIn(view, { to, fault }), status });
}

type SignIn = { to: string; fault?: string; link?: string | undefined };

const renderSignIn = (view: ConsoleView, { to, fault, link }: SignIn) =>
  signInPage(view, {
    to,
    fault,
    fields: link === undefined ? tokenField(view, fault) : linkFields(view, link),
  });

function tokenField({ t }: ConsoleView, fault: string | undefined): Html {
  return html`<div class="field">
    <label for="token">${t(common.token)}</label>
    <input
      id="token"
      name="token"
      type="password"
      required
      autocomplete="current-password"
      maxlength="${maxTokenLength}"
      aria-describedby="token-hint"
      ${fault && html` aria-invalid="true"`}
    />
    <p class="hint" id="token-hint">${t(texts.hint)}</p>
  </div>`;
}
