import {
  decodeMemberEvent,
  memberPrefix,
  membersPrefix,
  type MemberRole,
} from '#shared/domain/member/events.ts';
import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import { graceMs, whatIsDone } from './commands.ts';
import { createMemberSessions, latestSignIns, type MemberSignIn } from './sessions.ts';

type Link = { hash: string; endsMs: number; issuers: readonly string[] };
type Member = {
  shopId: string;
  role: MemberRole;
  endsMs: number;
  link?: Link | undefined;
  /** The newest ones, the oldest first. */
  signIns: MemberSignIn[];
};

const admins: readonly MemberRole[] = ['admin'];
const all: readonly MemberRole[] = ['admin', 'viewer'];

/** Checks what members do by their role and shop at that time, and how they sign in. */
export type MemberAuthority = ReturnType<typeof createMemberAuthority>;

/**
 * The commands that members may give in the portal (R18.8), and nothing else. The auditor has its
 * own copy of this table.
 */
export const memberCommands: ReadonlyMap<string, readonly MemberRole[]> = new Map([
  ['ApiKeyIssued', admins],
  ['ApiKeyRevoked', admins],
  ['WebhookConfigured', admins],
  ['WebhookDisabled', admins],
  ['WebhookSecretIssued', admins],
  ['WebhookEndpointDeleted', admins],
  ['WebhookPingRequested', admins],
  ['WebhookRedeliveryRequested', admins],
  ['WebhookRedeliveriesRequested', admins],
  ['PayoutBatchRowsStored', admins],
  ['PayoutBatchChecked', admins],
  ['PayoutBatchConfirmed', admins],
  ['MemberAdded', admins],
  ['MemberLinkIssued', admins],
  ['MemberRemoved', admins],
  ['MemberSignedIn', all],
  // Follows from a change of the shop.
  ['SetupChanged', admins],
]);

type ReportContext = { report: Report };

export const isMembers = ({ actor }: Pick<EventEnvelope, 'actor'>): boolean =>
  actor.startsWith(memberPrefix);

export function createMemberAuthority() {
  const members = new Map<string, Member>();
  const sessions = createMemberSessions();

  /** Older events name no issuers: sessions did not end with them. */
  const isIssuerRevoked = ({ actor, linkIssuers = [], atMs }: EventEnvelope, shopId: string) => {
    const formerIssuer = linkIssuers
      .filter((issuer) => issuer.startsWith(memberPrefix))
      .find((issuer) => {
        const member = members.get(issuer.slice(memberPrefix.length));
        return member?.shopId !== shopId || atMs >= member.endsMs + graceMs;
      });
    return (
      formerIssuer &&
      `${actor} acts with a link of ${formerIssuer}, who was not a member at that time`
    );
  };

  const whatIsWrong = (envelope: EventEnvelope, shopId: string | undefined): string | undefined => {
    const { actor, atMs } = envelope;
    const what = whatIsDone(envelope);
    const memberId = actor.slice(memberPrefix.length);
    const member = members.get(memberId);
    if (!member) return `${actor} was never added`;
    if (member.shopId !== shopId) return `${what} by ${actor}, a member of shop ${member.shopId}`;
    if (atMs >= member.endsMs + graceMs) return `${what} by ${actor}, who was removed before`;
    const roles = memberCommands.get(what);
    if (!roles?.includes(member.role))
      return `${what} by ${actor} is not allowed for a ${member.role}`;
    const about = (envelope.data as { member_id?: string }).member_id;
    if (what === 'MemberRemoved' && about === memberId) return `${actor} removes itself`;
    if (what === 'MemberSignedIn') {
      const why = whyNoSignIn(envelope, memberId, member);
      if (why !== undefined) return why;
    }
    const revoked = isIssuerRevoked(envelope, member.shopId);
    if (revoked !== undefined) return revoked;
    // An announcement may be made up for long after the session.
    if (what === 'SetupChanged') return undefined;
    return sessions.whyNone(envelope, member);
  };

  const applyEvent = (envelope: EventEnvelope, shopId: string): string | undefined => {
    const { type, data } = decodeMemberEvent(envelope);
    const { member_id: id } = data;
    const member = members.get(id);
    if (type === 'MemberAdded') {
      members.set(id, { shopId, role: data.role, endsMs: Infinity, signIns: [] });
      return member && `member ${id} is added twice`;
    }
    if (member?.shopId !== shopId) return `member ${id} was never added to shop ${shopId}`;
    if (type === 'MemberLinkIssued') member.link = linkIn(envelope, data);
    if (type === 'MemberSignedIn') {
      const { issuers = [] } = member.link ?? {};
      member.signIns = latestSignIns([...member.signIns, { issuers, atMs: envelope.atMs }]);
      member.link = undefined;
    }
    if (type === 'MemberRemoved') member.endsMs = Math.min(member.endsMs, envelope.atMs);
    return undefined;
  };

  return {
    take: (context: ReportContext, envelope: EventEnvelope, shopId: string | undefined): void => {
      const flag = createFlag(context, envelope, shopId);
      if (isMembers(envelope)) flag('authority.member', whatIsWrong(envelope, shopId));
      if (envelope.event.stream.startsWith(membersPrefix) && shopId !== undefined)
        flag('setup.order', applyEvent(envelope, shopId));
    },
  };
}

const linkIn = (
  { actor, linkIssuers = [] }: EventEnvelope,
  issued: { member_id: string; link_hash: string; expires_at: string },
): Link => ({
  hash: issued.link_hash,
  endsMs: Date.parse(issued.expires_at),
  issuers: [actor, ...linkIssuers].filter((each) => each !== `${memberPrefix}${issued.member_id}`),
});

/** A member signs in with the newest link, once, before it expires. */
function whyNoSignIn(
  { data, atMs, actor, linkIssuers }: EventEnvelope,
  memberId: string,
  { link }: Member,
): string | undefined {
  const { member_id: signedInId, link_hash: hash } = data as {
    member_id?: string;
    link_hash?: string;
  };
  if (signedInId !== memberId) return `${actor} signs in ${signedInId}`;
  if (!link || link.hash !== hash)
    return `${actor} signs in with a link that is not the latest one issued, or was used`;
  if (linkIssuers && linkIssuers.join() !== link.issuers.join())
    return `${actor} signs in by a link of ${link.issuers.join()}, and names ${linkIssuers.join()}`;
  return atMs < link.endsMs + graceMs ? undefined : `${actor} signs in with an expired link`;
}
