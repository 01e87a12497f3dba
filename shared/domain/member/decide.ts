import type { MemberEvent, MemberRole } from './events.ts';
import { areInForce, linksInADay, memberInForce, type Member, type Members } from './members.ts';

/**
 * Commands on a shop's members: by the gateway's operators, whose role is checked before, and by
 * members with role admin. Pure: ids, hashes and times come with the command.
 */
export type MemberDecision = { events: MemberEvent[] } | { refusal: MemberRefusal };
/**
 * `not_found`: no such member. `forbidden`: the actor may not do this. `too_many`: the shop has the
 * maximum number of members. `too_many_links`: the member got the maximum number of links in a day.
 * `link_invalid`: the link was used or replaced, or has expired.
 */
export type MemberRefusal =
  | 'not_found'
  | 'forbidden'
  | 'too_many'
  | 'too_many_links'
  | 'link_invalid';

/**
 * The member who acts, and the members behind its session (`issuers`); undefined for an operator.
 */
type By = { by: string | undefined; linkIssuers?: readonly string[] };
/** `countedFrom`: a day ago. Times as `Date#toISOString` writes them, which sort as texts. */
export type NewLink = { linkHash: string; expiresAt: string; countedFrom: string };

/** The most members of a shop at a time. */
export const maxMembers = 100;
/** Members that one shop may ever add: removed ones stay in the stream. */
export const maxMembersEver = 1_000;

const refused = (refusal: MemberRefusal): MemberDecision => ({ refusal });

/** Checked on the stream itself, because a member who was just removed may do nothing more. */
const mayManage = (state: Members, { by, linkIssuers = [] }: By): boolean =>
  by === undefined ||
  (memberInForce(state, by)?.role === 'admin' && areInForce(state, linkIssuers));

type NewMember = { memberId: string; name: string; role: MemberRole; link: NewLink };

/** A member, and the link to sign in with for the first time. */
export function addMember(
  state: Members,
  { memberId, name, role, link, ...by }: NewMember & By,
): MemberDecision {
  if (!mayManage(state, by)) return refused('forbidden');
  const inForce = [...state.members.values()].filter(({ removedAt }) => removedAt === undefined);
  if (inForce.length >= maxMembers || state.members.size >= maxMembersEver)
    return refused('too_many');
  return {
    events: [
      { type: 'MemberAdded', data: { member_id: memberId, name, role } },
      linkIssued(memberId, link),
    ],
  };
}

/** A new link; the one before it stops working if it was not used. */
export function issueSignInLink(
  state: Members,
  { memberId, link, ...by }: { memberId: string; link: NewLink } & By,
): MemberDecision {
  if (!mayManage(state, by)) return refused('forbidden');
  const member = memberInForce(state, memberId);
  if (!member) return refused('not_found');
  const lately = member.linksIssued.filter((issued) => issued > link.countedFrom);
  if (lately.length >= linksInADay) return refused('too_many_links');
  return { events: [linkIssued(memberId, link)] };
}

const linkIssued = (memberId: string, { linkHash, expiresAt }: NewLink): MemberEvent => ({
  type: 'MemberLinkIssued',
  data: { member_id: memberId, link_hash: linkHash, expires_at: expiresAt },
});

/** The member whom a link signs in: once, before it expires, and while its issuers are members. */
export function holderOfLink(state: Members, linkHash: string, nowIso: string): Member | undefined {
  const holder = [...state.members.values()].find(({ link }) => link?.linkHash === linkHash);
  if (!holder?.link || holder.removedAt !== undefined) return undefined;
  const { expiresAt, issuers } = holder.link;
  return nowIso < expiresAt && areInForce(state, issuers) ? holder : undefined;
}

/** Signs in whom the link was issued for. */
export function signIn(
  state: Members,
  { linkHash, nowIso }: { linkHash: string; nowIso: string },
): MemberDecision {
  const holder = holderOfLink(state, linkHash, nowIso);
  if (!holder) return refused('link_invalid');
  return {
    events: [{ type: 'MemberSignedIn', data: { member_id: holder.memberId, link_hash: linkHash } }],
  };
}

/**
 * Members can't remove themselves, so a shop with an admin always has one, unless an operator
 * removes it.
 */
export function removeMember(
  state: Members,
  { memberId, ...by }: { memberId: string } & By,
): MemberDecision {
  if (!mayManage(state, by) || by.by === memberId) return refused('forbidden');
  const member = state.members.get(memberId);
  if (!member) return refused('not_found');
  if (member.removedAt !== undefined) return { events: [] };
  return { events: [{ type: 'MemberRemoved', data: { member_id: memberId } }] };
}
