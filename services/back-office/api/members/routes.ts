import { z } from 'zod';
import { addMember, issueSignInLink, removeMember } from '#shared/domain/member/decide.ts';
import { memberRoles } from '#shared/domain/member/events.ts';
import type { Member } from '#shared/domain/member/members.ts';
import { newSignInLink } from '#shared/application/members/links.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { newId } from '#shared/platform/ids.ts';
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
    const memberId = newId();
    const { url, stored: link } = newSignInLink(portalUrl, shopId);
    await members.change({
      shopId,
      origin: operatorOrigin(c),
      decide: (state) => addMember(state, { by: undefined, memberId, ...member, link }),
    });
    const answer = {
      member_id: memberId,
      ...member,
      sign_in_url: url,
      sign_in_until: link.expiresAt,
    };
    // The only time that the link is shown.
    return c.json(answer, 201);
  });

  app.get(path, async (c) => {
    const { members: all } = await members.of(await requireShopId(c.req.param('shop_id')));
    return c.json({ members: [...all.values()].map(viewMember) });
  });

  app.post(`${path}/:member_id/sign-in-links`, async (c) => {
    const shopId = await requireShopId(c.req.param('shop_id'));
    const memberId = readPathId(c.req.param('member_id'));
    const { url, stored: link } = newSignInLink(portalUrl, shopId);
    await members.change({
      shopId,
      origin: operatorOrigin(c),
      decide: (state) => issueSignInLink(state, { by: undefined, memberId, link }),
    });
    const answer = { member_id: memberId, sign_in_url: url, sign_in_until: link.expiresAt };
    return c.json(answer, 201);
  });

  app.delete(`${path}/:member_id`, async (c) => {
    const shopId = await requireShopId(c.req.param('shop_id'));
    const memberId = readPathId(c.req.param('member_id'));
    await members.change({
      shopId,
      origin: operatorOrigin(c),
      decide: (state) => removeMember(state, { by: undefined, memberId }),
    });
    return c.body(null, 204);
  });
}

/** @throws Problem not_found */
export function requireMember(members: ReadonlyMap<string, Member>, memberId: string): Member {
  const member = members.get(memberId);
  if (!member || member.removedAt !== undefined) throw new Problem('not_found');
  return member;
}

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
