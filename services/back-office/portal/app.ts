import type { Context } from 'hono';
import { createApp, refuseOtherMethods, type AppOptions } from '#shared/platform/http/app.ts';
import { createAnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import { createRuns } from '#shared/application/payout-batches/batches.ts';
import { findExisting } from '#projections/operations/find-existing.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { createPayoutFiles } from '#shared/application/payout-batches/payout-files.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { createTokenBuckets, type RateLimit } from '#shared/platform/http/token-buckets.ts';
import { attemptLimits, createSignInAttempts } from '#shared/platform/sessions/attempts.ts';
import { createSessionCookie } from '#shared/platform/sessions/cookie.ts';
import { restrictDisclosure } from '../frame/access-log.ts';
import { createSite, registerSite, type SiteOptions } from '../frame/site.ts';
import { listActions, registerPages } from '../frame/site-map.ts';
import { registerAct } from './actions/register.ts';
import type { PortalDependencies } from './dependencies.ts';
import { sessionReader, type Portal, type PortalApp, type PortalEnv } from './env.ts';
import { merchantExports } from './exports/page-exports.ts';
import { portalFiles } from './files.ts';
import { show, showProblem } from './frame.ts';
import { portalSections } from './pages.ts';
import { createFormReader } from './session/posted-form.ts';
import { requireMemberSession } from './session/require.ts';
import { registerPortalSignIn } from './session/sign-in.ts';

/** More lookups of links than people need, but too few for one sender to keep the log busy. */
const lookupLimits = { ...attemptLimits, maxPerAddress: 60 };

export type PortalOptions = Pick<SiteOptions, 'attemptLimits' | 'now'> & {
  anonymousLimit?: RateLimit;
  /** Milliseconds of a monotonic clock. */
  elapsedMs?: () => number;
};

/**
 * The portal: what a merchant's staff sees and changes of one shop (docs/merchants/portal.md),
 * without any IO of its own.
 */
export function createPortal(
  dependencies: PortalDependencies & AppOptions,
  options: PortalOptions = {},
): PortalApp {
  const anonymous = createAnonymousLimit({ ...dependencies, limit: options.anonymousLimit });
  const site = createSite({ ...dependencies, files: portalFiles }, { ...options, anonymous });
  const runs = createRuns(dependencies.store);
  const portal: Portal = {
    ...dependencies,
    ...site,
    entryPoster: createEntryPoster({ ...dependencies, actor: 'service:portal' }),
    runs,
    payoutFiles: createPayoutFiles(
      {
        ...dependencies,
        runs,
        findExisting: (ids) => fromDatabase(findExisting(dependencies.db, ids)),
      },
      createTokenBuckets(),
    ),
    seenLinks: createSessionCookie(`${portalFiles.name}_links`, dependencies.production, {
      maxAgeS: 365 * 24 * 3_600,
    }),
    lookups: createSignInAttempts(lookupLimits, site.now),
    readForm: createFormReader(dependencies.trustedProxies),
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
  };
  const showsCredential = (c: Context) => site.cookie.read(c) !== undefined;
  const app = createApp<PortalEnv>({
    ...dependencies,
    anonymous: { limit: anonymous, showsCredential },
  });
  registerSite(app, portal, {
    registerSignIn: registerPortalSignIn,
    requireSession: requireMemberSession,
    pages: [
      registerActs,
      (to) => to.get('/', (c) => c.redirect('/operations', 303)),
      registerPortalPages,
    ],
    showProblem,
  });
  refuseOtherMethods(app);
  app.notFound((c) => showProblem(c, portal, new Problem('route_not_found')));
  return app;
}

function registerActs(app: PortalApp, portal: Portal): void {
  for (const { action: act, section } of listActions(portalSections))
    registerAct(app, restrictDisclosure(portal, act), { act, section });
}

const registerPortalPages = (app: PortalApp, portal: Portal): void =>
  registerPages(app, portal, {
    sections: portalSections,
    lists: merchantExports,
    show,
    mayOpen: () => true,
    mayExport: () => true,
    reader: sessionReader,
    // By merchant, not by shop: a merchant may have many shops.
    holder: (c) => c.get('session').shop.merchantId,
  });
