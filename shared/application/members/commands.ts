import type { Origin } from '#shared/application/commands/origin.ts';
import { addMember, issueSignInLink, removeMember, signIn } from '#shared/domain/member/decide.ts';
import type { MemberRole } from '#shared/domain/member/events.ts';
import type { Members } from '#shared/domain/member/members.ts';
import { newId } from '#shared/platform/ids.ts';
import { newSignInLink } from './links.ts';
import type { MemberList } from './members.ts';

/** Commands on the members of a shop. Each throws as `MemberList.change` does. */

type MemberChanges = Pick<MemberList, 'change'>;
type Command = {
  shopId: string;
  /** The member who acts, with the members behind its session; none for an operator. */
  issuer?: { by: string | undefined; linkIssuers?: readonly string[] };
  origin: Origin;
};
type LinkTarget = { portalUrl: string; nowMs?: number };
/** A sign-in link, which is shown once. */
type IssuedLink = { memberId: string; url: string; expiresAt: string };

type SignInByLink = {
  shopId: string;
  linkHash: string;
  nowIso: string;
  fromState: Members;
  origin: Origin;
};

const noMember = { by: undefined };

/** Adds a member, with a link to sign in. */
export async function inviteMember(
  members: MemberChanges,
  { shopId, issuer = noMember, origin }: Command,
  { portalUrl, nowMs, ...member }: LinkTarget & { name: string; role: MemberRole },
): Promise<IssuedLink> {
  const memberId = newId();
  const { url, stored: link } = newSignInLink(portalUrl, shopId, nowMs);
  const decide = (state: Members) => addMember(state, { ...issuer, memberId, ...member, link });
  await members.change({ shopId, origin, decide });
  return { memberId, url, expiresAt: link.expiresAt };
}

/** Issues another link to sign in, which replaces an unused one. */
export async function replaceMemberLink(
  members: MemberChanges,
  { shopId, issuer = noMember, origin }: Command,
  { portalUrl, nowMs, memberId }: LinkTarget & { memberId: string },
): Promise<IssuedLink> {
  const { url, stored: link } = newSignInLink(portalUrl, shopId, nowMs);
  const decide = (state: Members) => issueSignInLink(state, { ...issuer, memberId, link });
  await members.change({ shopId, origin, decide });
  return { memberId, url, expiresAt: link.expiresAt };
}

export async function dismissMember(
  members: MemberChanges,
  { shopId, issuer = noMember, origin }: Command,
  memberId: string,
): Promise<void> {
  const decide = (state: Members) => removeMember(state, { ...issuer, memberId });
  await members.change({ shopId, origin, decide });
}

/**
 * Uses a sign-in link up: it works once, on any instance. `fromState`: the members as just read.
 * @returns whether the link was valid
 */
export async function useSignInLink(
  members: Pick<MemberList, 'decide'>,
  { linkHash, nowIso, ...change }: SignInByLink,
): Promise<boolean> {
  const decide = (state: Members) => signIn(state, { linkHash, nowIso });
  return (await members.decide({ ...change, decide })) === undefined;
}
