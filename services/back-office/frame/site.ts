import type { Context, Env, Hono, MiddlewareHandler } from 'hono';
import type { Kysely } from 'kysely';
import { translator } from '#shared/application/pages/words.ts';
import { zoneOf } from '#shared/application/pages/zone.ts';
import {
  createAnonymousLimit,
  type AnonymousLimit,
} from '#shared/platform/http/anonymous-limit.ts';
import { problemOf, type Problem } from '#shared/platform/http/problems.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import {
  createAssets,
  icon,
  keepPreferences,
  preferencesOf,
  refuseCrossSite,
  scripts,
  securePages,
  styles,
  type Assets,
} from '#shared/platform/pages/index.ts';
import {
  attemptLimits,
  createAttempts,
  type Attempts,
} from '#shared/platform/sessions/attempts.ts';
import { createSessionCookie, type SessionCookie } from '#shared/platform/sessions/cookie.ts';
import {
  createSubmittedForms,
  type SubmitOnce,
} from '#shared/platform/sessions/submitted-forms.ts';
import {
  createSessions,
  sessionLimits,
  type SessionLimits,
  type Sessions,
  type StoredSession,
} from '#shared/platform/sessions/sessions.ts';
import { inSchema } from '#shared/platform/sessions/tables.ts';
import type { View } from './components.ts';
import type { Notice } from './notice.ts';

/** What the console and the portal work with alike. */
export type Site = {
  /** Of its files, its cookie, and the schema of its sessions. */
  name: 'console' | 'portal';
  logger: Logger;
  sessions: Sessions<Notice>;
  /** Submits a form only once, however often and to whichever instance it is sent. */
  once: SubmitOnce;
  /** Limits what an address sends without a session. */
  anonymous: AnonymousLimit;
  attempts: Attempts;
  cookie: SessionCookie;
  assets: Assets<string>;
  now(): number;
};

/** Only tests set them. */
export type SiteOptions = {
  anonymous?: AnonymousLimit;
  sessionLimits?: SessionLimits;
  attemptLimits?: typeof attemptLimits;
  now?: () => number;
};

type Sources<DB> = {
  name: Site['name'];
  db: Kysely<DB>;
  logger: Logger;
  production: boolean;
  trustedProxies: number;
  /** Besides those of every site. */
  files?: { styles: readonly URL[]; scripts: readonly URL[] };
};

export const sessionCookie = (name: Site['name'], production: boolean): SessionCookie =>
  createSessionCookie(`${name}_session`, production);

export function createSite<DB>(sources: Sources<DB>, options: SiteOptions): Site {
  const { name, db, logger, production, files } = sources;
  const now = options.now ?? (() => Date.now());
  const tables = inSchema(db, name);
  return {
    name,
    logger,
    sessions: createSessions(tables, options.sessionLimits ?? sessionLimits(sources), now),
    once: createSubmittedForms(tables, now),
    anonymous: options.anonymous ?? createAnonymousLimit(sources),
    attempts: createAttempts(options.attemptLimits, now),
    cookie: sessionCookie(name, production),
    assets: createAssets<string>({
      [`${name}.css`]: [...Object.values(styles), ...(files?.styles ?? [])],
      [`${name}.js`]: [
        scripts.theme,
        scripts.sections,
        scripts.copy,
        scripts.zone,
        scripts.watch,
        scripts.export,
        ...(files?.scripts ?? []),
      ],
      'icon.svg': [icon],
    }),
    now,
  };
}

type Parts<E extends Env> = {
  /** Before the sign-in. */
  signIn(): void;
  requireSession: MiddlewareHandler<E>;
  /** Behind it: what changes something, then what only shows, as `/keys/new` is no key. */
  pages(): void;
  showProblem(c: Context<E>, problem: Problem): Promise<Response>;
};

/** Files, sign-in, pages, and what goes wrong with them. */
export function registerSite<E extends Env>(app: Hono<E>, site: Site, parts: Parts<E>): void {
  site.assets.register(app);
  // `same-origin`: older browsers without Sec-Fetch-Site then still send an Origin with forms.
  app.use(securePages({ referrer: 'same-origin' }), refuseCrossSite(), keepPreferences());
  parts.signIn();
  app.use(parts.requireSession);
  parts.pages();
  app.onError((error, c) => {
    const { problem, fault } = problemOf(error);
    if (fault) logFault(c, site, fault);
    return parts.showProblem(c, problem);
  });
}

/** A failure that the page does not describe. */
export function logFault(
  c: Context,
  { logger }: Pick<Site, 'logger'>,
  { err, what }: { err: unknown; what: string },
): void {
  logger.error({ err, requestId: c.get('requestId') }, what);
}

/** A session of a site; whose it is, the site adds. */
export type SiteSession = Pick<StoredSession<Notice>, 'secret' | 'formToken' | 'notice'>;

/** How to render a request's page. */
export type SiteView<Session extends SiteSession = SiteSession> = View & {
  /** The zone that times are shown in. */
  zone: string;
  /** Undefined before the sign-in. */
  session: Session | undefined;
};

export function siteView<Session extends SiteSession>(c: Context): SiteView<Session> {
  const preferences = preferencesOf(c);
  const { language } = preferences;
  const session = c.get('session') as Session | undefined;
  return { language, preferences, t: translator(language), zone: zoneOf(c), session };
}
