import type { MemberEvent, MemberRole } from './events.ts';

export type Member = {
  memberId: string;
  name: string;
  role: MemberRole;
  addedAt: string;
  addedBy: string;
  removedAt?: string;
  removedBy?: string;
  /** The one that was issued last, until it is used. */
  link?: { hash: string; expiresAt: string };
  /** When the newest links were issued, the oldest first: as many as one may get in a day. */
  linksIssued: readonly string[];
  /** The newest sign-ins, the oldest first: a session is of one of them. */
  signIns: readonly { linkHash: string; at: string }[];
};

/** Every member that a shop ever had, the oldest first. */
export type Members = { revision: number; members: ReadonlyMap<string, Member> };

export const noMembers: Members = { revision: -1, members: new Map() };

/** As many as a member may have sessions: older ones have ended. */
export const keptSignIns = 10;
/** Links that one member may get in a day: enough for anyone, and it bounds the stream. */
export const linksInADay = 30;

type Taken = { createdIso: string; actor: string };

/** The members after one more event, with when the log took it and who acted. */
export const evolveMembers = (state: Members, event: MemberEvent, taken: Taken): Members =>
  foldMembers(state, [{ event, ...taken }]);

/** The members after these events: copied once, however many there are. */
export function foldMembers(
  state: Members,
  events: readonly ({ event: MemberEvent } & Taken)[],
): Members {
  if (events.length === 0) return state;
  const members = new Map(state.members);
  for (const { event, ...taken } of events) {
    const { member_id: memberId } = event.data;
    const before = members.get(memberId);
    const after =
      event.type === 'MemberAdded'
        ? added(event.data, taken)
        : before && changed(before, event, taken);
    if (after) members.set(memberId, after);
  }
  return { revision: state.revision + events.length, members };
}

const added = (
  { member_id: memberId, name, role }: Extract<MemberEvent, { type: 'MemberAdded' }>['data'],
  { createdIso, actor }: Taken,
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
  { createdIso: at, actor }: Taken,
): Member {
  const { link: _, ...member } = before;
  switch (event.type) {
    case 'MemberLinkIssued':
      return {
        ...member,
        link: { hash: event.data.link_hash, expiresAt: event.data.expires_at },
        linksIssued: [...member.linksIssued, at].slice(-linksInADay),
      };
    case 'MemberSignedIn': {
      const signIns = [...member.signIns, { linkHash: event.data.link_hash, at }].slice(
        -keptSignIns,
      );
      return { ...member, signIns };
    }
    case 'MemberRemoved':
      return { ...member, removedAt: at, removedBy: actor, signIns: [] };
  }
}

/** The member of that id, unless there is none or it was removed. */
export function memberInForce({ members }: Members, memberId: string): Member | undefined {
  const member = members.get(memberId);
  return member?.removedAt === undefined ? member : undefined;
}
