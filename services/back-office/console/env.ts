import type { Context, Hono } from 'hono';
import type { AppEnv } from '#shared/platform/http/app.ts';
import type { Holder } from '../api/authentication.ts';
import type { AdminDependencies } from '../api/dependencies.ts';
import type { InnerApi, InnerCall } from '../api/inner-api.ts';
import { rolesByRoute } from '../api/roles.ts';
import { siteView, type Site, type SiteSession, type SiteView } from '../frame/site.ts';

/** A signed-in user. */
export type ConsoleSession = SiteSession & { readonly holder: Holder };

/** `session` is there behind `requireOperatorSession`. */
export type ConsoleEnv = AppEnv<{ session: ConsoleSession }>;
export type ConsoleApp = Hono<ConsoleEnv>;
export type ConsoleContext = Context<ConsoleEnv>;

/** What the console works with. */
export type Console = AdminDependencies & Site & { api: InnerApi };

export type ConsoleView = SiteView<ConsoleSession> & {
  /** Whether the user's role allows an API route; actions of other routes are not offered. */
  may(route: string): boolean;
};

export const toConsoleView = (view: SiteView<ConsoleSession>): ConsoleView => ({
  ...view,
  may: (route) => view.session !== undefined && mayCall(view.session, route),
});
export const consoleView = (c: ConsoleContext): ConsoleView =>
  toConsoleView(siteView<ConsoleSession>(c));

/** Uses the same table as the API. */
export function mayCall(session: ConsoleSession, route: string): boolean {
  const allowed = rolesByRoute[route];
  if (!allowed) throw new Error(`${route} is no route of the admin API`);
  return allowed.includes(session.holder.role);
}

/** Calls the admin API as the signed-in user. @throws Problem as the API would answer */
export function callAdminApi(
  c: ConsoleContext,
  { api }: Console,
  { request, body, file }: { request: string } & Pick<InnerCall, 'body' | 'file'>,
) {
  const { tokenId, name, role } = c.get('session').holder;
  return api(request, {
    operator: { tokenId, name, role },
    requestId: c.get('requestId'),
    body,
    file,
  });
}
