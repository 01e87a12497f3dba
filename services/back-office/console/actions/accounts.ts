import { directoryStream } from '#shared/application/directory/stream.ts';
import type { ProviderAccount } from '#shared/domain/provider/accounts.ts';
import type { CredentialsForm } from '#shared/application/providers/accounts/credentials.ts';
import type { Field } from '../../frame/form-fields.ts';
import { renderedValues, withCurrentValues } from '../../frame/rendered-values.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { trimmedValue, type Values } from '#shared/platform/sessions/form.ts';
import {
  addBody,
  findCredentialsForm,
  labelBody,
  reasonBody,
  replaceBody,
} from '../../api/accounts/bodies.ts';
import { readProviderAccount } from '#shared/application/providers/accounts/command-account.ts';
import { accountTexts as texts, credentialName } from '../accounts/texts.ts';
import type { Console, ConsoleView } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';
import { buildPath, type Action, type Params } from './action.ts';
import type { FormContent } from '../../frame/actions/form-page.ts';

const route = '/admin/v1/providers/:provider/accounts';
const path = '/providers/:provider/accounts';
const streams = () => [directoryStream];
export const accountsPage = (provider: string): string => buildPath(path, { provider });

type PageRequest = { params: Params; view: ConsoleView };

function prepareProvider(
  { params, view: { t } }: PageRequest,
  fields: readonly Field[],
): FormContent {
  const { provider } = findCredentialsForm(params['provider']);
  const back = accountsPage(provider);
  return {
    about: [[t(common.provider), provider]],
    fields,
    back,
    trail: [
      { href: '/providers', text: t(common.providers) },
      { href: back, text: `${provider}: ${t(texts.title)}` },
    ],
  };
}

/** @throws Problem not_found for an unknown account */
async function prepareAccount(
  console: Console,
  request: PageRequest,
  fieldsOf: (account: ProviderAccount) => readonly Field[],
): Promise<FormContent> {
  const { provider } = findCredentialsForm(request.params['provider']);
  const account = await readProviderAccount(console, {
    provider,
    account: request.params['account'] ?? '',
  });
  const prepared = prepareProvider(request, fieldsOf(account));
  const about = [[request.view.t(texts.account), `${account.account}: ${account.label}`]] as const;
  return { ...prepared, about: [...prepared.about, ...about] };
}

/** A field that identifies the account is no secret, so it is visible while it is typed. */
const credentialFields = ({ schema, identity }: CredentialsForm): Field[] =>
  Object.keys(schema.shape).map((name) => ({
    name: `credentials_${name}`,
    label: credentialName(name),
    pointer: `/credentials/${name}`,
    ...(identity.includes(name)
      ? { kind: 'text' as const }
      : { kind: 'secret' as const, hint: texts.secretHint }),
  }));

/** Credentials by the form's field names: the body is made before its provider is known. */
function readCredentials(values: Values): Record<string, string> {
  const named = Object.entries(values).flatMap(([name, value]) =>
    name.startsWith('credentials_') && value !== ''
      ? [[name.slice('credentials_'.length), value.trim()]]
      : [],
  );
  return Object.fromEntries(named) as Record<string, string>;
}

const label: Field = { name: 'label', label: texts.label, hint: texts.labelHint, kind: 'text' };
const reason: Field = {
  name: 'reason',
  label: common.reason,
  hint: texts.reasonHint,
  kind: 'long',
};

export const addAccountAction: Action = {
  path: `${path}/new`,
  route: `POST ${route}`,
  direct: true,
  title: { ru: 'Новый аккаунт у провайдера', en: 'New account with the provider' },
  explain: {
    ru: 'Ключи хранятся зашифрованными, и никто их больше не увидит. Операции пойдут с ними, когда аккаунт назовёт маршрут.',
    en: 'The credentials are stored encrypted, and never shown again. Operations use them once a route names the account.',
  },
  button: texts.add,
  done: { ru: 'Аккаунт добавлен.', en: 'The account is added.' },
  prepare: async (_, request) => {
    const { form } = findCredentialsForm(request.params['provider']);
    const name: Field = {
      name: 'account',
      label: texts.account,
      hint: texts.nameHint,
      kind: 'text',
    };
    return prepareProvider(request, [name, label, ...credentialFields(form)]);
  },
  body: (values) => ({
    account: trimmedValue(values, 'account'),
    label: trimmedValue(values, 'label'),
    credentials: readCredentials(values),
  }),
  check: (_, body, params) =>
    void validate(addBody(findCredentialsForm(params['provider']).form), body),
  streams,
};

export const replaceAccountCredentials: Action = {
  path: `${path}/:account/credentials`,
  route: `POST ${route}/:account/credentials`,
  direct: true,
  title: { ru: 'Заменить ключи аккаунта', en: 'Replace the account’s credentials' },
  explain: {
    ru: 'Пусть провайдер сначала принимает оба ключа. Новые действуют сразу и везде, без перезапуска; начатые вызовы заканчиваются с прежними.',
    en: 'First make sure that the provider accepts both the old and the new key. The new credentials take effect at once everywhere, without a restart; calls in progress finish with the old ones.',
  },
  button: texts.replace,
  done: { ru: 'Ключи заменены.', en: 'The credentials are replaced.' },
  prepare: (console, request) =>
    prepareAccount(console, request, ({ provider }) => [
      ...credentialFields(findCredentialsForm(provider).form),
      {
        name: 'revoke',
        label: texts.revoke,
        hint: texts.revokeHint,
        kind: 'switch',
        pointer: '/revoke_previous',
        optional: true,
      },
    ]),
  body: (values) => ({
    credentials: readCredentials(values),
    ...(values['revoke'] === 'on' && { revoke_previous: true }),
  }),
  check: (_, body, params) =>
    void validate(replaceBody(findCredentialsForm(params['provider']).form), body),
  streams,
};

export const renameAccountAction: Action = {
  path: `${path}/:account/rename`,
  route: `PATCH ${route}/:account`,
  title: { ru: 'Переименовать аккаунт', en: 'Rename the account' },
  explain: {
    ru: 'Меняется только название для людей: маршруты называют аккаунт по имени.',
    en: 'This changes only the label. Routes use the account’s name, which can’t be changed.',
  },
  button: texts.rename,
  done: { ru: 'Аккаунт переименован.', en: 'The account is renamed.' },
  prepare: (console, request) =>
    prepareAccount(console, request, (account) => {
      const current = { ...label, value: account.label };
      return [current, renderedValues([current])];
    }),
  resolve: (_, values, { fields = [] }) => withCurrentValues(values, fields),
  body: (values) => ({ label: trimmedValue(values, 'label') }),
  check: (_, body) => void validate(labelBody, body),
  streams,
};

const withReason: Pick<Action, 'prepare' | 'body' | 'check' | 'streams'> = {
  prepare: (console, request) => prepareAccount(console, request, () => [reason]),
  body: (values) => ({ reason: trimmedValue(values, 'reason') }),
  check: (_, body) => void validate(reasonBody, body),
  streams,
};

export const switchAccountOff: Action = {
  ...withReason,
  path: `${path}/:account/switch-off`,
  route: `POST ${route}/:account/switch-off`,
  title: { ru: 'Выключить аккаунт', en: 'Switch the account off' },
  explain: {
    ru: 'Новые операции пойдут мимо маршрутов с этим аккаунтом. Операции, которые уже у провайдера, продолжаются.',
    en: 'New operations skip the routes with this account. Operations that the provider already has continue.',
  },
  button: common.switchOff,
  danger: true,
  done: { ru: 'Аккаунт выключен.', en: 'The account is switched off.' },
};

export const switchAccountOn: Action = {
  ...withReason,
  path: `${path}/:account/switch-on`,
  route: `POST ${route}/:account/switch-on`,
  title: { ru: 'Включить аккаунт', en: 'Switch the account on' },
  explain: {
    ru: 'Новые операции снова пойдут по маршрутам с этим аккаунтом.',
    en: 'New operations use the routes with this account again.',
  },
  button: common.switchOn,
  done: { ru: 'Аккаунт включён.', en: 'The account is switched on.' },
};

export const removeAccountAction: Action = {
  ...withReason,
  path: `${path}/:account/remove`,
  route: `POST ${route}/:account/remove`,
  title: { ru: 'Удалить аккаунт', en: 'Remove the account' },
  explain: {
    ru: 'Насовсем: ни один маршрут больше не сможет его назвать, имя не освобождается. О незавершённых операциях провайдера всё ещё спрашивают с его ключами: не отзывайте их у провайдера, пока такие есть.',
    en: 'The account is removed for good: no route can use it, and no other account can have its name. Its credentials are still used to poll the provider about open operations: do not revoke them at the provider while there are any.',
  },
  button: common.remove,
  danger: true,
  done: { ru: 'Аккаунт удалён.', en: 'The account is removed.' },
};
