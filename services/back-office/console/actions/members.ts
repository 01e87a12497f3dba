import { memberRoles, membersStream } from '#shared/domain/member/events.ts';
import { actWords } from '../../frame/action-texts.ts';
import { toChoices } from '../../frame/components.ts';
import { memberRoleNames } from '../../frame/names.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { memberBody, requireMember } from '../../api/members/routes.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import type { Console, ConsoleView } from '../env.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue } from '#shared/platform/sessions/form.ts';
import type { Action, Done, Params } from './action.ts';
import type { FormContent } from '../../frame/actions/form-page.ts';
import { prepareShop } from './shop.ts';

const streams = ({ params }: Done): string[] => [membersStream(params['shop_id'] ?? '')];
const linkName: Words = { ru: 'Ссылка для входа в кабинет', en: 'Link to sign in to the portal' };
const secret = ({ answer }: Done) => ({
  label: linkName,
  value: (answer as { sign_in_url: string }).sign_in_url,
});

export const addMemberAction: Action = {
  path: '/shops/:shop_id/members/new',
  route: 'POST /admin/v1/shops/:shop_id/members',
  ...actWords.addMember,
  title: { ru: 'Новый сотрудник мерчанта', en: 'New member of the merchant’s staff' },
  prepare: (console, about) =>
    prepareShop(console, about, () => ({
      fields: [
        { name: 'name', label: common.personName, kind: 'text' },
        {
          name: 'role',
          label: common.role,
          hint: {
            ru: 'Администратор управляет ключами, вебхуками и сотрудниками магазина; наблюдатель только смотрит.',
            en: 'An admin manages the shop’s keys, webhooks and members; a viewer only reads.',
          },
          kind: 'choice',
          choices: toChoices(memberRoles, (value) => about.view.t(memberRoleNames[value])),
        },
      ],
    })),
  body: (values) => ({ name: trimmedValue(values, 'name'), role: formValue(values, 'role') }),
  check: (_, body) => void validate(memberBody, body),
  streams,
  secret,
};

/** @throws Problem not_found if the shop has no such member */
async function prepareMember(
  console: Console,
  about: { params: Params; view: ConsoleView },
): Promise<FormContent> {
  const { params, view } = about;
  const { members } = await console.members.of(readPathId(params['shop_id']));
  const member = requireMember(members, readPathId(params['member_id']));
  return prepareShop(console, about, () => ({
    about: [
      [view.t(common.name), member.name],
      [view.t(common.role), view.t(memberRoleNames[member.role])],
    ],
  }));
}

export const issueMemberLink: Action = {
  path: '/shops/:shop_id/members/:member_id/link',
  route: 'POST /admin/v1/shops/:shop_id/members/:member_id/sign-in-links',
  ...actWords.issueMemberLink,
  title: linkName,
  prepare: prepareMember,
  streams,
  secret,
};

export const removeMemberAction: Action = {
  path: '/shops/:shop_id/members/:member_id/remove',
  route: 'DELETE /admin/v1/shops/:shop_id/members/:member_id',
  title: { ru: 'Удалить сотрудника мерчанта', en: 'Remove the member' },
  explain: {
    ru: 'Сразу завершатся его сеансы в кабинете и сеансы по ссылкам, которые он создал для других; неиспользованные ссылки перестанут действовать.',
    en: 'Their portal sessions end at once, and so do sessions that others opened with links created by them. Unused links of both kinds stop working.',
  },
  button: { ru: 'Удалить', en: 'Remove the member' },
  danger: true,
  done: { ru: 'Сотрудник удалён.', en: 'The member is removed.' },
  prepare: prepareMember,
  streams,
};
