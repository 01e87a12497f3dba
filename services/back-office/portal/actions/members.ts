import { z } from 'zod';
import type { Origin } from '#shared/application/commands/origin.ts';
import { memberRoles } from '#shared/domain/member/events.ts';
import { memberInForce } from '#shared/domain/member/members.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import {
  dismissMember,
  inviteMember,
  replaceMemberLink,
} from '#shared/application/members/commands.ts';
import { actWords } from '../../frame/action-texts.ts';
import { toChoices } from '../../frame/components.ts';
import { memberRoleNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { trimmedValue } from '#shared/platform/sessions/form.ts';
import type { Portal, PortalSession } from '../env.ts';
import type { Act, ActRequest, ActContent } from './action.ts';

const memberBody = z.strictObject({ name: nameText, role: z.enum(memberRoles) });

const by = ({ shop, member, signIn }: PortalSession, origin: Origin) => ({
  shopId: shop.shopId,
  issuer: { by: member.memberId, linkIssuers: signIn.issuers },
  origin,
});

export const addMemberAct: Act = {
  path: '/members/new',
  ...actWords.addMember,
  prepare: async (_, { view }) => ({
    fields: [
      { name: 'name', label: common.personName, kind: 'text' },
      {
        name: 'role',
        label: common.role,
        hint: {
          ru: 'Наблюдатель только смотрит. Администратор ещё подтверждает выплаты и управляет ключами, вебхуками и сотрудниками.',
          en: 'A viewer only reads. An admin also confirms payouts, and manages keys, webhooks and members.',
        },
        kind: 'choice',
        value: 'viewer',
        choices: toChoices(memberRoles, (value) => view.t(memberRoleNames[value])),
      },
    ],
  }),
  run: async ({ members, baseUrl, now }, { session, values, origin }) => {
    const member = validate(memberBody, {
      name: trimmedValue(values, 'name'),
      role: values['role'],
    });
    const link = { portalUrl: baseUrl, nowMs: now() };
    const { url } = await inviteMember(members, by(session, origin), { ...link, ...member });
    return { secret: { label: common.signInLink, value: url } };
  },
};

/** @throws Problem not_found for anyone who is not a member of this shop */
async function prepareMember(
  { members }: Portal,
  { params, view: { t }, session }: ActRequest,
): Promise<ActContent> {
  const member = memberInForce(
    await members.of(session.shop.shopId),
    readPathId(params['member_id']),
  );
  if (!member) throw new Problem('not_found');
  return {
    about: [
      [t(common.personName), member.name],
      [t(common.role), t(memberRoleNames[member.role])],
    ],
  };
}

export const issueLinkAct: Act = {
  path: '/members/:member_id/link',
  ...actWords.issueMemberLink,
  prepare: prepareMember,
  run: async ({ members, baseUrl, now }, { params, session, origin }) => {
    const memberId = readPathId(params['member_id']);
    const link = { portalUrl: baseUrl, nowMs: now(), memberId };
    const { url } = await replaceMemberLink(members, by(session, origin), link);
    return { secret: { label: common.signInLink, value: url } };
  },
};

export const removeMemberAct: Act = {
  path: '/members/:member_id/remove',
  title: { ru: 'Удалить сотрудника', en: 'Remove the member' },
  explain: {
    ru: 'Сразу завершатся его сеансы и сеансы по ссылкам, которые он создал для других, и перестанут действовать те и другие ссылки. Сеанс по такой ссылке может быть и вашим: новую создаст оператор шлюза. Себя удалить нельзя.',
    en: 'Their sessions end at once, and so do sessions that others opened with links created by them. Unused links of both kinds stop working. If your own session is one of these, an operator of the gateway can create a new link. You can’t remove yourself.',
  },
  button: { ru: 'Удалить', en: 'Remove the member' },
  danger: true,
  done: { ru: 'Сотрудник удалён.', en: 'The member is removed.' },
  prepare: prepareMember,
  run: async ({ members }, { params, session, origin }) => {
    await dismissMember(members, by(session, origin), readPathId(params['member_id']));
  },
};
