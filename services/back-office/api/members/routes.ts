import { z } from 'zod';
import { memberRoles } from '#shared/domain/member/events.ts';
import type { Member } from '#shared/domain/member/members.ts';
import {
  dismissMember,
  inviteMember,
  replaceMemberLink,
} from '#shared/application/members/commands.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { readPathId, readShop } from '#shared/application/directory/command-shop.ts';

export const memberBody = z.strictObject({ name: nameText, role: z.enum(memberRoles) });

/** Members of a merchant's staff, who may use the portal. A shop's first member is added here. */
export function registerMemberRoutes(
  app: AdminApp,
  { store, members, portalUrl }: Pick<AdminDependencies, 'store' | 'members' | 'portalUrl'>,
): void {
  const path = '/admin/v1/shops/:shop_id/members';
  /** @throws Problem not_found */
  const requireShopId = async (id: string): Promise<string> =>
    (await readShop(store, readPathId(id))).shopId;

  app.post(path, async (c) => {
    const shopId = await requireShopId(c.req.param('shop_id'));
    const member = validate(memberBody, await readJson(c));
    const command = { shopId, origin: operatorOrigin(c) };
    const issued = await inviteMember(members, command, { portalUrl, ...member });
    const { member_id, ...link } = viewIssued(issued);
    // The only time that the link is shown.
    return c.json({ member_id, ...member, ...link }, 201);
  });

  app.get(path, async (c) => {
    const { members: all } = await members.of(await requireShopId(c.req.param('shop_id')));
    return c.json({ members: [...all.values()].map(viewMember) });
  });

  app.post(`${path}/:member_id/sign-in-links`, async (c) => {
    const shopId = await requireShopId(c.req.param('shop_id'));
    const memberId = readPathId(c.req.param('member_id'));
    const command = { shopId, origin: operatorOrigin(c) };
    return c.json(
      viewIssued(await replaceMemberLink(members, command, { portalUrl, memberId })),
      201,
    );
  });

  app.delete(`${path}/:member_id`, async (c) => {
    const shopId = await requireShopId(c.req.param('shop_id'));
    const memberId = readPathId(c.req.param('member_id'));
    await dismissMember(members, { shopId, origin: operatorOrigin(c) }, memberId);
    return c.body(null, 204);
  });
}

/** @throws Problem not_found */
export function requireMember(members: ReadonlyMap<string, Member>, memberId: string): Member {
  const member = members.get(memberId);
  if (!member || member.removedAt !== undefined) throw new Problem('not_found');
  return member;
}

const viewIssued = ({
  memberId,
  url,
  expiresAt,
}: Awaited<ReturnType<typeof replaceMemberLink>>) => ({
  member_id: memberId,
  sign_in_url: url,
  sign_in_until: expiresAt,
});

const viewMember = (member: Member) => ({
  member_id: member.memberId,
  name: member.name,
  role: member.role,
  added_at: member.addedAt,
  added_by: member.addedBy,
  signed_in_at: member.signIns.at(-1)?.usedAt ?? null,
  removed_at: member.removedAt ?? null,
  removed_by: member.removedBy ?? null,
});
