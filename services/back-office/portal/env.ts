import type { Context } from 'hono';
import type { View as PlainView } from '../frame/components.ts';
import type { Secret } from '../frame/secret-once.ts';
import { zoneOf } from '#shared/application/pages/zone.ts';
import { translator } from '#shared/application/pages/words.ts';
import { memberActor } from '#shared/domain/member/events.ts';
import type { Member, Members, SignIn } from '#shared/domain/member/members.ts';
import type { WebhookEndpoint } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { AnonymousLimit } from '#shared/platform/http/anonymous-limit.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { preferencesOf, type Assets } from '#shared/platform/pages/index.ts';
import type { Attempts } from '#shared/platform/sessions/attempts.ts';
import type { SessionCookie } from '#shared/platform/sessions/cookie.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { SubmitOnce } from '#shared/platform/sessions/submitted-forms.ts';
import type { StoredSession, Sessions } from '#shared/platform/sessions/sessions.ts';
import type { Runs } from '#shared/application/payout-batches/batches.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import type { EntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { currentTraceparent } from '#shared/platform/tracing/tracing.ts';
import type { Reader } from './access-log.ts';
import type { Dependencies } from './dependencies.ts';
import type { FormReader } from './session/posted-form.ts';

/** A message about what was just done; the next page shows it once. */
export type Notice = { done: string; secret?: Secret };

/** A member who has signed in, and the one shop that the session is for. */
export type Session = Pick<StoredSession<Notice>, 'secret' | 'formToken' | 'notice'> & {
  readonly member: Member;
  /** The one that opened it. */
  readonly signIn: SignIn;
  /** Of the shop, as the log has them now. */
  readonly members: Members;
  readonly shop: {
    shopId: string;
    merchantId: string;
    name: string;
    endpoints: readonly WebhookEndpoint[];
  };
};

/** Both are set on routes behind `requireSession`, the form where one was posted. */
export type PortalEnv = AppEnv<{ session: Session; form: Values | undefined }>;
export type PortalContext = Context<PortalEnv>;

export type AssetName = 'portal.css' | 'portal.js' | 'icon.svg';

export type Portal = Dependencies & {
  entryPoster: EntryPoster;
  /** The files of payouts that run. */
  runs: Runs;
  sessions: Sessions<Notice>;
  /** Does a form once, however often and wherever it is sent. */
  once: SubmitOnce;
  /** Limits what an address sends without a session. */
  anonymous: AnonymousLimit;
  attempts: Attempts;
  /** Limits how often invalid links are opened: each one costs a read of the log. */
  looks: Attempts;
  cookie: SessionCookie;
  /** Until when a browser has shown a member the links that others made. */
  seenLinks: SessionCookie;
  readForm: FormReader;
  assets: Assets<AssetName>;
  now(): number;
  /** Milliseconds of a clock that is never set. */
  elapsedMs(): number;
};

/** How one request's page is to be written. */
export type View = PlainView & {
  /** The zone that times are shown in. */
  zone: string;
  /** Undefined before the sign-in. */
  session: Session | undefined;
  /** Whether the member may change something; otherwise no buttons for it are shown. */
  mayAct: boolean;
};

export const mayAct = ({ member }: Session): boolean => member.role === 'admin';

export function viewOf(c: PortalContext): View {
  const preferences = preferencesOf(c);
  const session = c.get('session') as Session | undefined;
  return {
    language: preferences.language,
    preferences,
    t: translator(preferences.language),
    zone: zoneOf(c),
    session,
    mayAct: session !== undefined && mayAct(session),
  };
}

/** The shop that the request is about: that of the session, whatever the address says. */
export const shopIdOf = (c: PortalContext): string => c.get('session').shop.shopId;

/** Whom the access log names. */
export const readerOf = (c: PortalContext): Reader => ({
  memberId: c.get('session').member.memberId,
  shopId: shopIdOf(c),
});

/** To post the ends of operations before they are shown. */
export const endsIn = ({ db, entryPoster, store }: Portal) => ({
  db,
  entryPoster,
  read: (operationId: string) => readOperation(store, operationId),
});

/** Who the events of a request are recorded for. */
export function originOf(
  c: PortalContext,
  {
    member: { memberId },
    signIn: { issuers: linkIssuers },
  }: { member: Pick<Member, 'memberId'>; signIn: Pick<SignIn, 'issuers'> } = c.get('session'),
): Origin {
  const requestId = c.get('requestId');
  const traceparent = currentTraceparent();
  const actor = memberActor(memberId);
  return { actor, linkIssuers, correlationId: requestId, requestId, traceparent };
}
