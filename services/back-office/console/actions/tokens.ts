import { operatorsStream, roles } from '#shared/domain/operator/events.ts';
import { isInForce } from '#shared/domain/operator/operators.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { html } from '#shared/platform/pages/index.ts';
import { readPathId } from '#shared/application/directory/command-shop.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { roleNames } from '../role-names.ts';
import { common } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue } from '#shared/platform/sessions/form.ts';
import { numberOrText } from './shop.ts';
import type { Action } from './action.ts';

const lifetimes = [
  { days: 1, name: { ru: '1 день', en: '1 day' } },
  { days: 30, name: { ru: '30 дней', en: '30 days' } },
  { days: 90, name: { ru: '90 дней', en: '90 days' } },
  { days: 365, name: { ru: '1 год', en: '1 year' } },
] as const;

const daysToSeconds = (days: number): string => String(days * 86_400);

export const issueTokenAction: Action = {
  path: '/operators/new',
  route: 'POST /admin/v1/tokens',
  title: { ru: 'Новый токен', en: 'New token' },
  explain: {
    ru: 'Токен показывается один раз. Имя сохраняется в каждом событии, которое создаёт его владелец.',
    en: 'The token is shown once. The name is stored with every event that its holder causes.',
  },
  button: { ru: 'Выпустить токен', en: 'Issue the token' },
  done: { ru: 'Токен выпущен.', en: 'The token is issued.' },
  prepare: async (_, { view }) => ({
    about: [],
    fields: [
      { name: 'name', label: common.personName, kind: 'text' },
      {
        name: 'role',
        label: common.role,
        hint: {
          ru: 'Аудитор только читает; оператор также ведёт операции, невыясненные суммы и вебхуки; администратор может всё.',
          en: 'An auditor can only read; an operator also handles operations, suspense and webhooks; an admin can do everything.',
        },
        kind: 'choice',
        value: 'operator',
        choices: roles.map((value) => ({ value, text: view.t(roleNames[value]) })),
      },
      {
        name: 'expires_in_s',
        label: { ru: 'Срок действия', en: 'Valid for' },
        kind: 'choice',
        value: daysToSeconds(30),
        choices: lifetimes.map(({ days, name }) => ({
          value: daysToSeconds(days),
          text: view.t(name),
        })),
      },
    ],
  }),
  body: (values) => ({
    name: trimmedValue(values, 'name'),
    role: formValue(values, 'role'),
    expires_in_s: numberOrText(formValue(values, 'expires_in_s')),
  }),
  streams: () => [operatorsStream],
  secret: ({ answer }) => ({
    label: common.token,
    value: (answer as { token: string }).token,
  }),
};

export const revokeTokenAction: Action = {
  path: '/operators/:token_id/revoke',
  route: 'DELETE /admin/v1/tokens/:token_id',
  title: { ru: 'Отозвать токен', en: 'Revoke the token' },
  explain: {
    ru: 'Запросы с этим токеном сразу начнут отклоняться, его сеансы в консоли завершатся. Токены, которые с ним выпустили, продолжат действовать.',
    en: 'Requests with this token are refused at once, and its console sessions end. Tokens that were issued with it remain valid.',
  },
  button: { ru: 'Отозвать токен', en: 'Revoke the token' },
  danger: true,
  done: { ru: 'Токен отозван.', en: 'The token is revoked.' },
  prepare: async ({ registry, now }, { params, view }) => {
    const tokenId = readPathId(params['token_id']);
    const tokens = await fromStore(registry.list());
    const token = tokens.find((each) => each.tokenId === tokenId);
    if (!token) throw new Problem('not_found');
    const { t } = view;
    // Tokens that an operator issued for others, or for itself in another name, outlive this token.
    const issued = tokens.filter(
      (each) =>
        each.createdBy === `operator:${token.name}` &&
        each.tokenId !== tokenId &&
        isInForce(each, new Date(now()).toISOString()),
    );
    const stillValid = t({
      ru: `Выпущены под именем ${token.name} и останутся действительны`,
      en: `Issued by ${token.name}, still valid after this`,
    });
    return {
      about: [
        [t(common.personName), html`<strong>${token.name}</strong>`],
        [t(common.role), t(roleNames[token.role])],
        [t(common.created), token.createdAt],
        [t(common.token), `…${token.hint}`],
        [stillValid, issued.map(({ name, hint }) => `${name} (…${hint})`).join(', ') || undefined],
      ],
    };
  },
  streams: () => [operatorsStream],
};
