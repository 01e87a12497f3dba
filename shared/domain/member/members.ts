import { memberActor, memberPrefix, type MemberEvent, type MemberRole } from './events.ts';

/** A link that was issued for a member. */
type IssuedLink = {
  linkHash: string;
  /**
   * The actors behind a session of this link, besides the member: who issued it, and if that was in
   * a session, who issued that one's link, and so on.
   */
  issuers: readonly string[];
  issuedAt: string;
};
/** A session is of one of them. */
export type SignIn = IssuedLink & { usedAt: string };

export type Member = {
  memberId: string;
  name: string;
  role: MemberRole;
  addedAt: string;
  addedBy: string;
  removedAt?: string;
  removedBy?: string;
  /** The one that was issued last, until it is used. */
  link?: IssuedLink & { expiresAt: string };
  /** The times of the newest links, oldest first: as many as one member may get in a day. */
  linksIssued: readonly string[];
  /** The newest ones, the oldest first. */
  signIns: readonly SignIn[];
};

/** Every member that a shop ever had, the oldest first. */
export type Members = { revision: number; members: ReadonlyMap<string, Member> };

export const noMembers: Members = { revision: -1, members: new Map() };

/** The sign-ins that are kept: as many as a member may have sessions. */
export const maxSignIns = 10;
/** Links that one member may get in a day: enough for anyone, and it bounds the stream. */
export const linksInADay = 30;

/** `linkIssuers`: the actors behind the session of the member who acted. */
type EventInfo = { createdIso: string; actor: string; linkIssuers?: readonly string[] };

/** The members after one more event, with its time and actor. */
export const evolveMembers = (state: Members, event: MemberEvent, info: EventInfo): Members =>
  foldMembers(state, [{ event, ...info }]);

/** The members after these events; copied only once. */
export function foldMembers(
  state: Members,
  events: readonly ({ event: MemberEvent } & EventInfo)[],
): Members {
  if (events.length === 0) return state;
  const members = new Map(state.members);
  for (const { event, ...info } of events) {
    const { member_id: memberId } = event.data;
    const before = members.get(memberId);
    const after =
      event.type === 'MemberAdded'
        ? added(event.data, info)
        : before && changed(before, event, info);
    if (after) members.set(memberId, after);
  }
  return { revision: state.revision + events.length, members };
}

const added = (
  { member_id: memberId, name, role }: Extract<MemberEvent, { type: 'MemberAdded' }>['data'],
  { createdIso, actor }: EventInfo,
): Member => ({
  memberId,
  name,
  role,
  addedAt: createdIso,
  addedBy: actor,
  linksIssued: [],
  signIns: [],
});

function changed(
  before: Member,
  event: Exclude<MemberEvent, { type: 'MemberAdded' }>,
  { createdIso: at, actor, linkIssuers = [] }: EventInfo,
): Member {
  const { link, ...member } = before;
  switch (event.type) {
    case 'MemberLinkIssued':
      return {
        ...member,
        link: {
          linkHash: event.data.link_hash,
          issuers: otherActors(member, [actor, ...linkIssuers]),
          issuedAt: at,
          expiresAt: event.data.expires_at,
        },
        linksIssued: [...member.linksIssued, at].slice(-linksInADay),
      };
    case 'MemberSignedIn': {
      const { link_hash: linkHash } = event.data;
      const { issuers = [], issuedAt = at } = link ?? {};
      const signIn: SignIn = { linkHash, issuers, issuedAt, usedAt: at };
      return { ...member, signIns: [...member.signIns, signIn].slice(-maxSignIns) };
    }
    case 'MemberRemoved':
      return { ...member, removedAt: at, removedBy: actor, signIns: [] };
  }
}

/** The member with that id; undefined if it does not exist or was removed. */
export function memberInForce({ members }: Members, memberId: string): Member | undefined {
  const member = members.get(memberId);
  return member?.removedAt === undefined ? member : undefined;
}

const otherActors = ({ memberId }: Pick<Member, 'memberId'>, actors: readonly string[]): string[] =>
  [...new Set(actors)].filter((actor) => actor !== memberActor(memberId));

/** Whether none of them is a member who was removed. */
export const areInForce = (state: Members, issuers: readonly string[]): boolean =>
  issuers.every(
    (actor) =>
      !actor.startsWith(memberPrefix) ||
      memberInForce(state, actor.slice(memberPrefix.length)) !== undefined,
  );

/** Sign-ins whose sessions are still valid. */
export const signInsInForce = (state: Members, { signIns }: Member): SignIn[] =>
  signIns.filter(({ issuers }) => areInForce(state, issuers));

/** The links that others issued for a member, or that were used, after that time: newest first. */
export function linksByOthers(
  { link, signIns }: Member,
  { since }: { since: string },
): (IssuedLink & { usedAt?: string })[] {
  const links: (IssuedLink & { usedAt?: string })[] = link ? [...signIns, link] : [...signIns];
  return links
    .filter(({ issuers }) => issuers.length > 0)
    .filter(({ issuedAt, usedAt = issuedAt }) => usedAt > since)
    .toReversed();
}
