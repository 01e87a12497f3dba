import type { EventEnvelope } from '../report/findings/report-violation.ts';
import { graceMs } from './commands.ts';
import { createNaming } from './naming.ts';

/** `issuers`: of the links that a session goes back to, besides the member. */
export type MemberSignIn = { issuers: readonly string[]; atMs: number };

type Member = {
  link?: { issuers: readonly string[] } | undefined;
  signIns: readonly MemberSignIn[];
};

/** A member has a session for each of this many of its newest sign-ins. */
const maxSessions = 10;
/** With those that a member may have had since a request began. */
const maxSignIns = 40;

export const latestSignIns = (signIns: readonly MemberSignIn[]): MemberSignIn[] =>
  signIns.slice(-maxSignIns);

/** Checks that members act in sessions that they have: by the issuers of the links behind them. */
export function createMemberSessions() {
  const naming = createNaming();

  /** A link that a member issued for itself, before events named issuers, has no other issuer. */
  const mustName = (envelope: EventEnvelope, { link, signIns }: Member): boolean =>
    ![...signIns, ...(link ? [link] : [])].some(({ issuers }) => issuers.length === 0) &&
    naming.mustName(envelope, { strict: false });

  return {
    /** Why an event is of no session of the member who acted; undefined if it is of one. */
    whyNone: (envelope: EventEnvelope, member: Member): string | undefined => {
      const { actor, linkIssuers, atMs, type } = envelope;
      if (!linkIssuers)
        return mustName(envelope, member)
          ? `${actor} does not name who issued the link of its session`
          : undefined;
      naming.begin(envelope);
      // Its link is compared with the latest one that was issued.
      if (type === 'MemberSignedIn') return undefined;
      const meanwhile = member.signIns.filter((each) => each.atMs > atMs - graceMs).length;
      const sessions = member.signIns.slice(-maxSessions - meanwhile);
      return sessions.some(({ issuers }) => issuers.join() === linkIssuers.join())
        ? undefined
        : `${actor} acts in a session of a link of ${linkIssuers.join()}, with which it did not sign in`;
    },
  };
}
