import type { MiddlewareHandler } from 'hono';
import { memberInForce, signInsInForce } from '#shared/domain/member/members.ts';
import { sandboxShare } from '#shared/domain/shop/state.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { createConcurrencyLimit } from '#shared/platform/http/limit-concurrency.ts';
import { createTokenBuckets } from '#shared/platform/http/token-buckets.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { isForm } from '#shared/platform/sessions/form.ts';
import { closeSession, findStored, isRead, leadToSignIn } from '../../frame/session.ts';
import {
  mayAct,
  type Portal,
  type PortalContext,
  type PortalEnv,
  type PortalSession,
} from '../env.ts';

type SessionSources = Pick<Portal, 'anonymous' | 'cookie' | 'sessions' | 'members' | 'directory'>;

/** Of one merchant, across all its shops; a search that takes seconds holds a connection. */
const requestsOfMerchant = { running: 3, queued: 30 };
/** So that one merchant holds at most half of the portal's connections to PostgreSQL. */
export const maxConnections = 2 * requestsOfMerchant.running;

/** The member that a session's row names. */
export const memberHolderKey = (shopId: string, memberId: string): string =>
  `${shopId}/${memberId}`;

/**
 * Lets only members through who have signed in, and only admins where something is changed. Others
 * are redirected to the sign-in, and from there back.
 * @throws Problem not_ready when the log or the database can't be read; forbidden; rate_limited
 */
export function requireMemberSession(portal: Portal): MiddlewareHandler<PortalEnv> {
  const takePost = createPostLimit(portal.elapsedMs);
  const limited = createConcurrencyLimit(requestsOfMerchant);
  return async (c, next) => {
    const secret = portal.cookie.read(c);
    // The lookup uses the pool of all merchants, and the merchant is not known before it.
    const session = secret && (await limited(secret, () => findMemberSession(c, portal)));
    if (!session) return leadToSignIn(c);
    c.set('session', session);
    // Everything but reads is for admins, so that no new form can be forgotten here.
    if (!isRead(c) && !mayAct(session)) throw new Problem('forbidden');
    if (!isRead(c)) {
      const { shopId } = session.shop;
      takePost(shopId);
      // Read before it takes one of the merchant's slots, which a slow form would hold.
      if (isForm(c)) c.set('form', await portal.readForm(c, { ...session.member, shopId }));
    }
    return limited(session.shop.merchantId, () => next());
  };
}

/** The limit of one shop's admins: more than people need, but too few to flood the log. */
const postLimit = { per_second: 1, burst: 100 };

/** @throws Problem rate_limited */
function createPostLimit(nowMs: () => number) {
  const buckets = createTokenBuckets({ nowMs });
  return (shopId: string): void => {
    const { allowed, nextInMs } = buckets.take(shopId, postLimit);
    if (allowed) return;
    throw new Problem('rate_limited', { retryAfterMs: nextInMs });
  };
}

/**
 * Checks session and role again after a form was read: it may have come so slowly that the member
 * was removed.
 * @throws Problem forbidden, not_ready
 */
export async function recheckMemberSession(c: PortalContext, portal: Portal): Promise<void> {
  const session = await findMemberSession(c, portal);
  if (!session || !mayAct(session)) throw new Problem('forbidden');
  c.set('session', session);
}

/**
 * The session of the request; undefined if there is none, or if its member, or an issuer of the
 * links that it goes back to, was removed. The log is read each time, and has the current name and
 * role of the member.
 * @throws Problem rate_limited if an address keeps sending invalid cookies
 */
export async function findMemberSession(
  c: PortalContext,
  known: SessionSources,
): Promise<PortalSession | undefined> {
  const stored = await findStored(c, known);
  if (!stored) return undefined;
  const [shopId = '', memberId = ''] = stored.holder.split('/');
  const [members, shop] = await Promise.all([
    known.members.of(shopId),
    fromStore(known.directory.byId(shopId)),
  ]);
  const member = memberInForce(members, memberId);
  const signIn =
    member && signInsInForce(members, member).find(({ linkHash }) => stored.isOf(linkHash));
  if (member && shop && signIn)
    return {
      ...stored,
      member,
      signIn,
      members,
      shop: {
        shopId,
        merchantId: shop.merchantId,
        name: shop.settings.name,
        endpoints: shop.endpoints,
        sandboxShare: sandboxShare(shop),
      },
    };
  await closeSession(c, known, stored);
  return undefined;
}
