import type { Context } from 'hono';
import type { View as PlainView } from '../frame/components.ts';
import type { AnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { preferencesOf, type Assets } from '#shared/platform/pages/index.ts';
import type { Attempts } from '#shared/platform/sessions/attempts.ts';
import type { SessionCookie } from '#shared/platform/sessions/cookie.ts';
import type { SubmitOnce } from '#shared/platform/sessions/submitted-forms.ts';
import type { StoredSession, Sessions } from '#shared/platform/sessions/sessions.ts';
import type { Holder } from '../api/authentication.ts';
import type { Dependencies } from '../api/dependencies.ts';
import type { InnerApi, InnerCall } from '../api/inner-api.ts';
import { rolesByRoute } from '../api/roles.ts';
import type { Notice } from './notice.ts';
import { translator } from './words.ts';
import { zoneOf } from '#shared/application/pages/zone.ts';

/** A signed-in user. */
export type Session = Pick<StoredSession<Notice>, 'secret' | 'formToken' | 'notice'> & {
  readonly holder: Holder;
};

/** `session` is there behind `requireSession`. */
export type ConsoleEnv = AppEnv<{ session: Session }>;
export type ConsoleContext = Context<ConsoleEnv>;

export type AssetName = 'console.css' | 'console.js' | 'icon.svg';

/** What the console works with. */
export type Console = Dependencies & {
  api: InnerApi;
  sessions: Sessions<Notice>;
  /** Submits a form only once, however often and to whichever instance it is sent. */
  once: SubmitOnce;
  /** Limits what an address sends without a session. */
  anonymous: AnonymousLimit;
  attempts: Attempts;
  cookie: SessionCookie;
  assets: Assets<AssetName>;
  now(): number;
};

/** How to render a request's page. */
export type View = PlainView & {
  /** The zone that times are shown in. */
  zone: string;
  /** Undefined before the sign-in. */
  session: Session | undefined;
  /** Whether the user's role allows an API route; others are not offered. */
  may(route: string): boolean;
};

export function viewOf(c: ConsoleContext): View {
  const preferences = preferencesOf(c);
  const session = c.get('session') as Session | undefined;
  return {
    language: preferences.language,
    preferences,
    t: translator(preferences.language),
    zone: zoneOf(c),
    session,
    may: (route) => session !== undefined && mayAsk(session, route),
  };
}

/** Uses the same table as the API. */
export function mayAsk(session: Session, route: string): boolean {
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
    ...(body !== undefined && { body }),
    ...(file && { file }),
  });
}
