import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/** The merchant's staff who may use the portal for one shop: stream `members-<shop_id>`. */

/** `admin` may do everything in the portal, `viewer` may read. */
export const memberRoles = ['admin', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

const id = z.string();

export const memberEventSchemas = {
  MemberAdded: z.object({ member_id: id, name: z.string(), role: z.enum(memberRoles) }),
  /** A link that signs in once; only its hash is stored. It replaces the previous one. */
  MemberLinkIssued: z.object({
    member_id: id,
    link_hash: z.string(),
    expires_at: z.iso.datetime(),
  }),
  MemberSignedIn: z.object({ member_id: id, link_hash: z.string() }),
  MemberRemoved: z.object({ member_id: id }),
} as const;

export type MemberEvent = EventOf<typeof memberEventSchemas>;

export const membersPrefix = 'members-';
export const membersStream = (shopId: string): string => `${membersPrefix}${shopId}`;

export const decodeMemberEvent = createDecoder(memberEventSchemas, 'member');

export const memberPrefix = 'member:';
/** The actor in a member's events: by id, because names are not unique. */
export const memberActor = (memberId: string): string => `${memberPrefix}${memberId}`;
