import { Hono } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { AdminDependencies } from '../api/dependencies.ts';
import { createInnerApi } from '../api/inner-api.ts';
import { createSite, registerSite, sessionCookie, type SiteOptions } from '../frame/site.ts';
import { actions } from './all-actions.ts';
import { registerAction } from './actions/register.ts';
import type { Console, ConsoleApp, ConsoleEnv } from './env.ts';
import { consoleFiles } from './files.ts';
import { showProblem } from './frame.ts';
import { consolePages } from './all-pages.ts';
import { requireOperatorSession } from './session/require.ts';
import { registerConsoleSignIn } from './session/sign-in.ts';

export const consoleCookie = ({ production }: Pick<AdminDependencies, 'production'>) =>
  sessionCookie({ files: consoleFiles, production });

/**
 * The operator console (docs/operators/console.md): pages that use the admin API's queries, and for
 * every change the API itself.
 */
export function createConsole(
  dependencies: AdminDependencies,
  options: SiteOptions = {},
): ConsoleApp {
  const site = createSite({ ...dependencies, files: consoleFiles }, options);
  const console: Console = { ...dependencies, ...site, api: createInnerApi(dependencies) };
  const app = new Hono<ConsoleEnv>();
  registerSite(app, console, {
    registerSignIn: registerConsoleSignIn,
    requireSession: requireOperatorSession,
    pages: [
      (to) => actions.forEach((action) => registerAction(to, console, action)),
      ...consolePages,
    ],
    showProblem,
  });
  app.all('*', () => {
    throw new Problem('route_not_found');
  });
  return app;
}
