import { Hono } from 'hono';
import { Problem } from '#shared/platform/http/problems.ts';
import type { AdminDependencies } from '../api/dependencies.ts';
import { restrictDisclosure } from '../frame/access-log.ts';
import { createInnerApi } from '../api/inner-api.ts';
import { createSite, registerSite, sessionCookie, type SiteOptions } from '../frame/site.ts';
import { listActions, registerPages } from '../frame/site-map.ts';
import { registerAction } from './actions/register.ts';
import { mayCall, type Console, type ConsoleApp, type ConsoleEnv } from './env.ts';
import { pageExports } from './exports/page-exports.ts';
import { consoleFiles } from './files.ts';
import { show, showProblem } from './frame.ts';
import { consoleSections } from './pages.ts';
import { registerSavedFilters } from './saved-filters.ts';
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
    pages: [registerConsoleActions, registerConsolePages, registerSavedFilters],
    showProblem,
  });
  app.all('*', () => {
    throw new Problem('route_not_found');
  });
  return app;
}

function registerConsoleActions(app: ConsoleApp, console: Console): void {
  for (const { action, section } of listActions(consoleSections))
    registerAction(app, restrictDisclosure(console, action), { action, section });
}

const registerConsolePages = (app: ConsoleApp, console: Console): void =>
  registerPages(app, console, {
    sections: consoleSections,
    lists: pageExports,
    show,
    mayOpen: (c, { route }) => mayCall(c.get('session'), route),
    mayExport: (c, list) => mayCall(c.get('session'), `GET /admin/v1/${list}.csv`),
    reader: (c) => c.get('session').holder,
    holder: (c) => c.get('session').holder.tokenId,
  });
