import { z } from 'zod';
import {
  addMember as add,
  issueLink as link,
  removeMember as remove,
} from '#shared/domain/member/decide.ts';
import { memberRoles } from '#shared/domain/member/events.ts';
import { memberInForce } from '#shared/domain/member/members.ts';
import { pathId } from '#shared/application/directory/command-shop.ts';
import { newSignInLink } from '#shared/application/members/links.ts';
import { actWords } from '../../frame/action-texts.ts';
import { choicesOf } from '../../frame/components.ts';
import { memberRoleNames } from '../../frame/names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { newId } from '#shared/platform/ids.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { trimmedValue } from '#shared/platform/sessions/form.ts';
import type { Portal, Session } from '../env.ts';
import type { Act, Given, Prepared } from './action.ts';

const memberBody = z.strictObject({ name: nameText, role: z.enum(memberRoles) });

const byOf = ({ member, signIn }: Session) => ({
  by: member.memberId,
  linkIssuers: signIn.issuers,
});

export const addMember: Act = {
  path: '/members/new',
  section: 'members',
  ...actWords.addMember,
  back: '/members',
  prepare: async (_, { view }) => ({
    fields: [
      { name: 'name', label: common.personName, kind: 'text' },
      {
        name: 'role',
        label: common.role,
        hint: {
          ru: 'Наблюдатель только смотрит; администратор ещё управляет ключами, вебхуками и сотрудниками.',
          en: 'A viewer only reads; an admin also manages keys, webhooks and members.',
        },
        kind: 'choice',
        value: 'viewer',
        choices: choicesOf(memberRoles, (value) => view.t(memberRoleNames[value])),
      },
    ],
  }),
  run: async ({ members, baseUrl, now }, { session, values, origin }) => {
    const member = validate(memberBody, {
      name: trimmedValue(values, 'name'),
      role: values['role'],
    });
    const { shopId } = session.shop;
    const made = newSignInLink(baseUrl, shopId, now());
    const memberId = newId();
    const decide = (state: Parameters<typeof add>[0]) =>
      add(state, { ...byOf(session), memberId, ...member, link: made.stored });
    await members.change({ shopId, origin, decide });
    return { secret: { label: common.signInLink, value: made.url } };
  },
};

/** @throws Problem not_found for anyone who is not a member of this shop */
async function prepareMember(
  { members }: Portal,
  { params, view: { t }, session }: Given,
): Promise<Prepared> {
  const member = memberInForce(await members.of(session.shop.shopId), pathId(params['member_id']));
  if (!member) throw new Problem('not_found');
  return {
    about: [
      [t(common.personName), member.name],
      [t(common.role), t(memberRoleNames[member.role])],
    ],
  };
}

export const issueLink: Act = {
  path: '/members/:member_id/link',
  section: 'members',
  ...actWords.issueMemberLink,
  back: '/members',
  prepare: prepareMember,
  run: async ({ members, baseUrl, now }, { params, session, origin }) => {
    const { shopId } = session.shop;
    const made = newSignInLink(baseUrl, shopId, now());
    const command = {
      ...byOf(session),
      memberId: pathId(params['member_id']),
      link: made.stored,
    };
    await members.change({ shopId, origin, decide: (state) => link(state, command) });
    return { secret: { label: common.signInLink, value: made.url } };
  },
};

export const removeMember: Act = {
  path: '/members/:member_id/remove',
  section: 'members',
  title: { ru: 'Удалить сотрудника', en: 'Remove the member' },
  explain: {
    ru: 'Сразу завершатся его сеансы и сеансы по ссылкам, которые он создал для других, и перестанут действовать те и другие ссылки. Сеанс по такой ссылке может быть и вашим: новую создаст оператор шлюза. Себя удалить нельзя.',
    en: 'Their sessions end at once, and so do sessions that others opened with links created by them. Unused links of both kinds stop working. If your own session is one of these, an operator of the gateway can create a new link. You can’t remove yourself.',
  },
  button: { ru: 'Удалить', en: 'Remove the member' },
  danger: true,
  done: { ru: 'Сотрудник удалён.', en: 'The member is removed.' },
  back: '/members',
  prepare: prepareMember,
  run: async ({ members }, { params, session, origin }) => {
    const command = { ...byOf(session), memberId: pathId(params['member_id']) };
    await members.change({
      shopId: session.shop.shopId,
      origin,
      decide: (state) => remove(state, command),
    });
  },
};
