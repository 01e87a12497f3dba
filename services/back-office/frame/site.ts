import type { Context, Env, Hono, MiddlewareHandler } from 'hono';
import type { Kysely } from 'kysely';
import { translator } from '#shared/application/pages/translations.ts';
import { readZone } from '#shared/application/pages/zone.ts';
import {
  createAnonymousLimit,
  type AnonymousLimit,
} from '#shared/platform/http/anonymous-limit.ts';
import { toProblem, type Problem } from '#shared/platform/http/problems.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import {
  keepPreferences,
  readPreferences,
  refuseCrossSite,
  securePages,
} from '#shared/platform/pages/index.ts';
import { createSignInAttempts, type attemptLimits } from '#shared/platform/sessions/attempts.ts';
import { createSessionCookie } from '#shared/platform/sessions/cookie.ts';
import { createSubmittedForms } from '#shared/platform/sessions/submitted-forms.ts';
import {
  createSessions,
  sessionLimits,
  type SessionLimits,
  type StoredSession,
} from '#shared/platform/sessions/sessions.ts';
import { inSchema } from '#shared/platform/sessions/tables.ts';
import type { View } from './components.ts';
import type { Notice } from './notice.ts';
import type { SiteFiles } from './site-files.ts';

type Sources<DB> = {
  /** The name is also that of its cookie, and of the schema of its sessions. */
  files: SiteFiles;
  db: Kysely<DB>;
  logger: Logger;
  production: boolean;
  trustedProxies: number;
};

export type SiteOptions = {
  /** The limit that the service's other requests share. */
  anonymous?: AnonymousLimit;
  sessionLimits?: SessionLimits;
  attemptLimits?: typeof attemptLimits;
  now?: () => number;
};

export const sessionCookie = ({
  files: { name },
  production,
}: Pick<Sources<unknown>, 'files' | 'production'>) =>
  createSessionCookie(`${name}_session`, production);

/** The common dependencies of the console and the portal. */
export type Site = ReturnType<typeof createSite>;

export function createSite<DB>(sources: Sources<DB>, options: SiteOptions) {
  const { files, logger } = sources;
  const now = options.now ?? (() => Date.now());
  const tables = inSchema(sources.db, files.name);
  const limits = options.sessionLimits ?? sessionLimits(sources);
  return {
    files,
    logger,
    sessions: createSessions<Notice>(tables, limits, now),
    /** Submits a form only once, however often and to whichever instance it is sent. */
    once: createSubmittedForms(tables, now),
    /** Limits what an address sends without a session. */
    anonymous: options.anonymous ?? createAnonymousLimit(sources),
    attempts: createSignInAttempts(options.attemptLimits, now),
    cookie: sessionCookie(sources),
    now,
  };
}

type Parts<E extends Env, S extends Site> = {
  registerSignIn(app: Hono<E>, site: S): void;
  requireSession(site: S): MiddlewareHandler<E>;
  /** Actions come first: `/keys/new` is not a key. */
  pages: readonly ((app: Hono<E>, site: S) => void)[];
  showProblem(c: Context<E>, site: S, problem: Problem): Promise<Response>;
};

/** Registers files, sign-in, the pages behind it, and error pages. */
export function registerSite<E extends Env, S extends Site>(
  app: Hono<E>,
  site: S,
  { registerSignIn, requireSession, pages, showProblem }: Parts<E, S>,
): void {
  site.files.assets.register(app);
  // `same-origin`: older browsers without Sec-Fetch-Site then still send an Origin with forms.
  app.use(securePages({ referrer: 'same-origin' }), refuseCrossSite(), keepPreferences());
  registerSignIn(app, site);
  app.use(requireSession(site));
  for (const register of pages) register(app, site);
  app.onError((error, c) => showProblem(c, site, problemFrom(c, site, error)));
}

/** The problem that a page shows for an error; a failure is logged. */
export function problemFrom(c: Context, { logger }: Pick<Site, 'logger'>, error: unknown): Problem {
  const { problem, fault } = toProblem(error);
  if (fault) logger.error({ err: fault.err, requestId: c.get('requestId') }, fault.what);
  return problem;
}

/** A session of a site; the site adds its holder. */
export type SiteSession = Pick<StoredSession<Notice>, 'secret' | 'formToken' | 'notice'>;

/** How to render a request's page. */
export type SiteView<Session extends SiteSession = SiteSession> = View & {
  zone: string;
  /** Undefined before the sign-in. */
  session: Session | undefined;
};

export function siteView<Session extends SiteSession>(c: Context): SiteView<Session> {
  const preferences = readPreferences(c);
  const { language } = preferences;
  const session = c.get('session') as Session | undefined;
  return { language, preferences, t: translator(language), zone: readZone(c), session };
}
