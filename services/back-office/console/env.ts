import type { Context, Hono } from 'hono';
import type { AppEnv } from '#shared/platform/http/app.ts';
import type { Holder } from '../api/authentication.ts';
import type { Dependencies } from '../api/dependencies.ts';
import type { InnerApi, InnerCall } from '../api/inner-api.ts';
import { rolesByRoute } from '../api/roles.ts';
import { siteView, type Site, type SiteSession, type SiteView } from '../frame/site.ts';

/** A signed-in user. */
export type Session = SiteSession & { readonly holder: Holder };

/** `session` is there behind `requireSession`. */
export type ConsoleEnv = AppEnv<{ session: Session }>;
export type ConsoleApp = Hono<ConsoleEnv>;
export type ConsoleContext = Context<ConsoleEnv>;

/** What the console works with. */
export type Console = Dependencies & Site & { api: InnerApi };

export type View = SiteView<Session> & {
  /** Whether the user's role allows an API route; actions of other routes are not offered. */
  may(route: string): boolean;
};

export const toView = (view: SiteView<Session>): View => ({
  ...view,
  may: (route) => view.session !== undefined && mayCall(view.session, route),
});
export const viewOf = (c: ConsoleContext): View => toView(siteView<Session>(c));

/** Uses the same table as the API. */
export function mayCall(session: Session, route: string): boolean {
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
