import { Hono } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Dependencies } from '../api/dependencies.ts';
import { createInnerApi } from '../api/inner-api.ts';
import { createSite, registerSite, sessionCookie, type SiteOptions } from '../frame/site.ts';
import { actions } from './all-actions.ts';
import { registerAction } from './actions/register.ts';
import type { Console, ConsoleApp, ConsoleEnv } from './env.ts';
import { files } from './files.ts';
import { showProblem } from './frame.ts';
import { pages } from './all-pages.ts';
import { requireSession } from './session/require.ts';
import { registerSignIn } from './session/sign-in.ts';

export const consoleCookie = ({ production }: Pick<Dependencies, 'production'>) =>
  sessionCookie({ files, production });

/**
 * The operator console (docs/operators/console.md): pages that use the admin API's queries, and for
 * every change the API itself.
 */
export function createConsole(dependencies: Dependencies, options: SiteOptions = {}): ConsoleApp {
  const site = createSite({ ...dependencies, files }, options);
  const console: Console = { ...dependencies, ...site, api: createInnerApi(dependencies) };
  const app = new Hono<ConsoleEnv>();
  registerSite(app, console, {
    registerSignIn,
    requireSession,
    pages: [(to) => actions.forEach((action) => registerAction(to, console, action)), ...pages],
    showProblem,
  });
  app.all('*', () => {
    throw new Problem('route_not_found');
  });
  return app;
}
