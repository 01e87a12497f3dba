import type { NewLink } from '#shared/domain/member/decide.ts';
import { hashMemberLink, newMemberLink } from '#shared/platform/ids.ts';

/** How long a link to sign in with works: whom it is for has to get it first. */
export const linkLifetimeMs = 60 * 60_000;
/** In which a member gets so many. */
const dayMs = 24 * 60 * 60_000;

/** A link to the portal, and what is kept of it. */
export type SignInLink = { url: string; kept: NewLink };

/** A link that signs in to the portal of one shop, whose members' stream knows its hash. */
export function newSignInLink(portalUrl: string, shopId: string, nowMs = Date.now()): SignInLink {
  const secret = newMemberLink();
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    url: `${portalUrl}/sign-in?link=${shopId}.${secret}`,
    kept: {
      linkHash: hashMemberLink(secret),
      expiresAt: at(nowMs + linkLifetimeMs),
      countedFrom: at(nowMs - dayMs),
    },
  };
}

/** The shop and the hash of a link's text; undefined for what is none. */
export function readSignInLink(text: string): { shopId: string; linkHash: string } | undefined {
  const [, shopId, secret] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(mbr_\w{40})$/.exec(text) ?? [];
  return shopId && secret ? { shopId, linkHash: hashMemberLink(secret) } : undefined;
}
