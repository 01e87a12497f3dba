import type { Context, Hono } from 'hono';
import type { Kysely } from 'kysely';
import { memberActor } from '#shared/domain/member/events.ts';
import type { Member, Members, SignIn } from '#shared/domain/member/members.ts';
import type { sandboxShare, WebhookEndpoint } from '#shared/domain/shop/state.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { AppEnv } from '#shared/platform/http/app.ts';
import type { Attempts } from '#shared/platform/sessions/attempts.ts';
import type { SessionCookie } from '#shared/platform/sessions/cookie.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Runs } from '#shared/application/payout-batches/batches.ts';
import type { PayoutFiles } from '#shared/application/payout-batches/payout-files.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import type { EntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { currentTraceparent } from '#shared/platform/tracing/tracing.ts';
import { siteView, type Site, type SiteSession, type SiteView } from '../frame/site.ts';
import type { PortalReader } from './access-log.ts';
import type { PortalDependencies } from './dependencies.ts';
import type { FormReader } from './session/posted-form.ts';

/** A member who has signed in, and the one shop that the session is for. */
export type PortalSession = SiteSession & {
  readonly member: Member;
  /** The one that opened it. */
  readonly signIn: SignIn;
  /** The shop's current members, from the log. */
  readonly members: Members;
  readonly shop: {
    shopId: string;
    merchantId: string;
    name: string;
    endpoints: readonly WebhookEndpoint[];
    sandboxShare: ReturnType<typeof sandboxShare>;
  };
};

/** Both are set on routes behind `requireMemberSession`, the form where one was posted. */
export type PortalEnv = AppEnv<{ session: PortalSession; form: Values | undefined }>;
export type PortalApp = Hono<PortalEnv>;
export type PortalContext = Context<PortalEnv>;

export type Portal = PortalDependencies &
  Site & {
    entryPoster: EntryPoster;
    /** The files of payouts that run. */
    runs: Runs;
    payoutFiles: PayoutFiles;
    /** Limits how often invalid links are opened: each one costs a read of the log. */
    lookups: Attempts;
    /** Until when a browser has shown a member the links that others issued. */
    seenLinks: SessionCookie;
    readForm: FormReader;
    /** Milliseconds of a monotonic clock. */
    elapsedMs(): number;
  };

export type PortalView = SiteView<PortalSession> & {
  /** Whether the member may change something; otherwise no buttons for it are shown. */
  mayAct: boolean;
};

export const mayAct = ({ member }: PortalSession): boolean => member.role === 'admin';

export const toPortalView = (view: SiteView<PortalSession>): PortalView => ({
  ...view,
  mayAct: view.session !== undefined && mayAct(view.session),
});
export const portalView = (c: PortalContext): PortalView =>
  toPortalView(siteView<PortalSession>(c));

/** The shop that the request is about: that of the session, not one that the address names. */
export const sessionShopId = (c: PortalContext): string => c.get('session').shop.shopId;

/** Whom the access log names. */
export const sessionReader = (c: PortalContext): PortalReader => ({
  memberId: c.get('session').member.memberId,
  shopId: sessionShopId(c),
});

/** Posts the entries of ended operations before they are shown. */
export const endsIn = <DB>({ entryPoster, store }: Portal, db: Kysely<DB>) => ({
  db,
  entryPoster,
  read: (operationId: string) => readOperation(store, operationId),
});

/** The origin of a request's events. */
export function memberOrigin(
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
