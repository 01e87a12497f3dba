import type { NewLink } from '#shared/domain/member/decide.ts';
import { hashMemberLink, newMemberLink } from '#shared/application/credentials.ts';
import { dayMs } from '#shared/domain/day.ts';

/** How long a sign-in link is valid: long enough to send it to the member. */
export const signInLinkLifetimeMs = 60 * 60_000;
/** The period in which the number of a member's links is limited. */
/** A link to the portal, and what is stored of it. */
type SignInLink = { url: string; stored: NewLink };

/** A link that signs in to the portal of one shop; the shop's stream of members has its hash. */
export function newSignInLink(portalUrl: string, shopId: string, nowMs = Date.now()): SignInLink {
  const secret = newMemberLink();
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    url: `${portalUrl}/sign-in?link=${shopId}.${secret}`,
    stored: {
      linkHash: hashMemberLink(secret),
      expiresAt: at(nowMs + signInLinkLifetimeMs),
      countedFrom: at(nowMs - dayMs),
    },
  };
}

/** The shop and the hash of a link's text; undefined if it is not a link. */
export function readSignInLink(text: string): { shopId: string; linkHash: string } | undefined {
  const [, shopId, secret] =
    /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(mbr_\w{40})$/.exec(text) ?? [];
  return shopId && secret ? { shopId, linkHash: hashMemberLink(secret) } : undefined;
}
