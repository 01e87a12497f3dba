import type { Context, Hono } from 'hono';
import { createAnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import { createApp, refuseOtherMethods, type AppOptions } from '#shared/platform/http/app.ts';
import { createRuns } from '#shared/application/payout-batches/batches.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { Problem, problemOf } from '#shared/platform/http/problems.ts';
import type { RateLimit } from '#shared/platform/http/token-buckets.ts';
import {
  createAssets,
  icon,
  keepPreferences,
  refuseCrossSite,
  scripts,
  securePages,
  styles,
} from '#shared/platform/pages/index.ts';
import { attemptLimits, createAttempts } from '#shared/platform/sessions/attempts.ts';
import { createSessionCookie } from '#shared/platform/sessions/cookie.ts';
import { createSubmittedForms } from '#shared/platform/sessions/submitted-forms.ts';
import { createSessions, sessionLimits } from '#shared/platform/sessions/sessions.ts';
import { inSchema } from '#shared/platform/sessions/tables.ts';
import { acts } from './acts/all.ts';
import { registerAct } from './acts/register.ts';
import { pages } from './all-pages.ts';
import { portalSchema } from './database.ts';
import type { Dependencies } from './dependencies.ts';
import type { AssetName, Portal, PortalEnv } from './env.ts';
import { showProblem } from './problem-page.ts';
import { createFormReader } from './session/posted-form.ts';
import { requireSession } from './session/require.ts';
import { registerSignIn } from './session/sign-in.ts';

const files: Readonly<Record<AssetName, readonly (URL | string)[]>> = {
  'portal.css': Object.values(styles),
  'portal.js': [
    scripts.theme,
    scripts.sections,
    scripts.copy,
    scripts.zone,
    scripts.watch,
    scripts.export,
  ],
  'icon.svg': [icon],
};

/** More than people need, and too few for one sender to keep the log busy. */
const lookLimits = { ...attemptLimits, maxPerAddress: 60 };

export type PortalOptions = {
  attemptLimits?: typeof attemptLimits;
  anonymousLimit?: RateLimit;
  now?: () => number;
  /** Milliseconds of a clock that is never set. */
  elapsedMs?: () => number;
};

/**
 * The portal: what a merchant's staff sees and changes of one shop (docs/merchants/portal.md),
 * without any IO of its own.
 */
export function createPortal(
  dependencies: Dependencies & AppOptions,
  options: PortalOptions = {},
): Hono<PortalEnv> {
  const now = options.now ?? (() => Date.now());
  const kept = inSchema(dependencies.db, portalSchema);
  const anonymous = createAnonymousLimit({ ...dependencies, limit: options.anonymousLimit });
  const cookie = createSessionCookie('portal_session', dependencies.production);
  const portal: Portal = {
    ...dependencies,
    anonymous,
    entryPoster: createEntryPoster({ ...dependencies, actor: 'service:portal' }),
    runs: createRuns(dependencies.store),
    sessions: createSessions(kept, sessionLimits(dependencies), now),
    once: createSubmittedForms(kept, now),
    seenLinks: createSessionCookie('portal_links', dependencies.production, {
      maxAgeS: 365 * 24 * 3_600,
    }),
    cookie,
    attempts: createAttempts(options.attemptLimits, now),
    looks: createAttempts(lookLimits, now),
    readForm: createFormReader(dependencies.trustedProxies),
    assets: createAssets(files),
    now,
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
  };
  const showsCredential = (c: Context) => cookie.read(c) !== undefined;
  const app = createApp<PortalEnv>({
    ...dependencies,
    anonymous: { limit: anonymous, showsCredential },
  });
  portal.assets.register(app);
  // `same-origin`: older browsers without Sec-Fetch-Site then still send an Origin with forms.
  app.use(securePages({ referrer: 'same-origin' }), refuseCrossSite(), keepPreferences());
  registerSignIn(app, portal);
  app.use(requireSession(portal));
  // Actions first: `/keys/new` is no key.
  for (const act of acts) registerAct(app, { portal, act });
  for (const register of pages) register(app, portal);
  refuseOtherMethods(app);
  app.notFound((c) => showProblem(c, portal, new Problem('route_not_found')));
  app.onError((error, c) => {
    const { problem, fault } = problemOf(error);
    if (fault) portal.logger.error({ err: fault.err, requestId: c.get('requestId') }, fault.what);
    return showProblem(c, portal, problem);
  });
  return app;
}
