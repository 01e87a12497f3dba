import { Hono } from 'hono';
import {
  createAnonymousLimit,
  type AnonymousLimit,
} from '#shared/platform/http/anonymous-limit.ts';
import { Problem, problemOf } from '#shared/platform/http/problems.ts';
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
import {
  createSessions,
  sessionLimits,
  type SessionLimits,
} from '#shared/platform/sessions/sessions.ts';
import { inSchema } from '#shared/platform/sessions/tables.ts';
import type { Dependencies } from '../api/dependencies.ts';
import { createInnerApi } from '../api/inner-api.ts';
import { actions } from './all-actions.ts';
import { registerAction } from './actions/register.ts';
import type { AssetName, Console, ConsoleEnv } from './env.ts';
import { showProblem } from './problem-page.ts';
import { pages } from './all-pages.ts';
import { requireSession } from './session/require.ts';
import { registerSignIn } from './session/sign-in.ts';
import { consoleSchema } from './session/tables.ts';

const script = (name: string) => new URL(`scripts/${name}.client.js`, import.meta.url);
const own = (name: string) => new URL(`styles/${name}.css`, import.meta.url);

const files: Readonly<Record<AssetName, readonly (URL | string)[]>> = {
  'console.css': [...Object.values(styles), own('pages')],
  'console.js': [
    scripts.theme,
    scripts.sections,
    scripts.copy,
    scripts.zone,
    scripts.watch,
    scripts.export,
    script('keys'),
    script('live'),
  ],
  'icon.svg': [icon],
};

type ConsoleOptions = {
  /** Of the service's other requests, too. */
  anonymous?: AnonymousLimit;
  sessionLimits?: SessionLimits;
  attemptLimits?: typeof attemptLimits;
  now?: () => number;
};

export const consoleCookie = ({ production }: Pick<Dependencies, 'production'>) =>
  createSessionCookie('console_session', production);

/**
 * The operator console (docs/operators/console.md): pages that use the admin API's queries, and for
 * every change the API itself.
 */
export function createConsole(
  dependencies: Dependencies,
  options: ConsoleOptions = {},
): Hono<ConsoleEnv> {
  const now = options.now ?? (() => Date.now());
  const consoleDb = inSchema(dependencies.db, consoleSchema);
  const console: Console = {
    ...dependencies,
    api: createInnerApi(dependencies),
    sessions: createSessions(consoleDb, options.sessionLimits ?? sessionLimits(dependencies), now),
    once: createSubmittedForms(consoleDb, now),
    cookie: consoleCookie(dependencies),
    anonymous: options.anonymous ?? createAnonymousLimit(dependencies),
    attempts: createAttempts(options.attemptLimits, now),
    assets: createAssets(files),
    now,
  };
  const app = new Hono<ConsoleEnv>();
  console.assets.register(app);
  // `same-origin`: older browsers without Sec-Fetch-Site then still send an Origin with forms.
  app.use(securePages({ referrer: 'same-origin' }), refuseCrossSite(), keepPreferences());
  registerSignIn(app, console);
  app.use(requireSession(console));
  // Actions first: `/shops/new` is not a shop.
  for (const action of actions) registerAction(app, { console, action });
  for (const register of pages) register(app, console);
  app.all('*', () => {
    throw new Problem('route_not_found');
  });
  app.onError((error, c) => {
    const { problem, fault } = problemOf(error);
    if (fault) console.logger.error({ err: fault.err, requestId: c.get('requestId') }, fault.what);
    return showProblem(c, console, problem);
  });
  return app;
}
