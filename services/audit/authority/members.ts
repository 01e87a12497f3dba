import {
  decodeMemberEvent,
  memberPrefix,
  membersPrefix,
  type MemberRole,
} from '#shared/domain/member/events.ts';
import { reportViolation, type Seen } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import { graceMs, whatIsDone } from './commands.ts';

type Link = { hash: string; endsMs: number; issuers: readonly string[] };
type Member = { shopId: string; role: MemberRole; endsMs: number; link?: Link | undefined };

const admins: readonly MemberRole[] = ['admin'];
const all: readonly MemberRole[] = ['admin', 'viewer'];

/** Checks what members do by their role and shop at that time, and how they sign in. */
export type MemberAuthority = ReturnType<typeof createMemberAuthority>;

/**
 * The commands that members may give in the portal (R18.8), and nothing else. The auditor has its
 * own copy of this table.
 */
const memberCommands: ReadonlyMap<string, readonly MemberRole[]> = new Map([
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

export const isMembers = ({ actor }: Pick<Seen, 'actor'>): boolean =>
  actor.startsWith(memberPrefix);

export function createMemberAuthority() {
  const members = new Map<string, Member>();

  /** Older events name no issuers: sessions did not end with them. */
  const isIssuerRevoked = ({ actor, linkIssuers = [], atMs }: Seen, shopId: string) => {
    const gone = linkIssuers
      .filter((issuer) => issuer.startsWith(memberPrefix))
      .find((issuer) => {
        const member = members.get(issuer.slice(memberPrefix.length));
        return member?.shopId !== shopId || atMs >= member.endsMs + graceMs;
      });
    return gone && `${actor} acts with a link of ${gone}, who was not a member at that time`;
  };

  const whatIsWrong = (seen: Seen, shopId: string | undefined): string | undefined => {
    const { actor, atMs } = seen;
    const what = whatIsDone(seen);
    const memberId = actor.slice(memberPrefix.length);
    const member = members.get(memberId);
    if (!member) return `${actor} was never added`;
    if (member.shopId !== shopId) return `${what} by ${actor}, a member of shop ${member.shopId}`;
    if (atMs >= member.endsMs + graceMs) return `${what} by ${actor}, who was removed before`;
    const roles = memberCommands.get(what);
    if (!roles?.includes(member.role))
      return `${what} by ${actor} is not allowed for a ${member.role}`;
    const about = (seen.data as { member_id?: string }).member_id;
    if (what === 'MemberRemoved' && about === memberId) return `${actor} removes itself`;
    if (what === 'MemberSignedIn') {
      const why = whyNoSignIn(seen, memberId, member);
      if (why !== undefined) return why;
    }
    return isIssuerRevoked(seen, member.shopId);
  };

  const applyEvent = (seen: Seen, shopId: string): string | undefined => {
    const { type, data } = decodeMemberEvent(seen);
    const { member_id: id } = data;
    const known = members.get(id);
    if (type === 'MemberAdded') {
      members.set(id, { shopId, role: data.role, endsMs: Infinity });
      return known && `member ${id} is added twice`;
    }
    if (known?.shopId !== shopId) return `member ${id} was never added to shop ${shopId}`;
    if (type === 'MemberLinkIssued')
      known.link = {
        hash: data.link_hash,
        endsMs: Date.parse(data.expires_at),
        issuers: [seen.actor, ...(seen.linkIssuers ?? [])].filter(
          (actor) => actor !== `${memberPrefix}${id}`,
        ),
      };
    if (type === 'MemberSignedIn') known.link = undefined;
    if (type === 'MemberRemoved') known.endsMs = Math.min(known.endsMs, seen.atMs);
    return undefined;
  };

  return {
    take: (context: { report: Report }, seen: Seen, shopId: string | undefined): void => {
      const blame = (rule: 'authority.member' | 'setup.order', message: string | undefined) =>
        message !== undefined && reportViolation(context, seen, { rule, message, shopId });
      if (isMembers(seen)) blame('authority.member', whatIsWrong(seen, shopId));
      if (seen.event.stream.startsWith(membersPrefix) && shopId !== undefined)
        blame('setup.order', applyEvent(seen, shopId));
    },
  };
}

/** A member signs in with the newest link, once, before it expires. */
function whyNoSignIn(
  { data, atMs, actor, linkIssuers }: Seen,
  memberId: string,
  { link }: Member,
): string | undefined {
  const { member_id: who, link_hash: hash } = data as { member_id?: string; link_hash?: string };
  if (who !== memberId) return `${actor} signs in ${who}`;
  if (!link || link.hash !== hash)
    return `${actor} signs in with a link that is not the latest one issued, or was used`;
  if (linkIssuers && linkIssuers.join() !== link.issuers.join())
    return `${actor} signs in by a link of ${link.issuers.join()}, and names ${linkIssuers.join()}`;
  return atMs < link.endsMs + graceMs ? undefined : `${actor} signs in with an expired link`;
}
