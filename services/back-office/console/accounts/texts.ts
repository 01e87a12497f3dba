import type { AccountState } from '../../api/accounts/view.ts';
import type { CheckResult } from '../../api/accounts/check.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

export const accountTexts = {
  title: { ru: 'Аккаунты', en: 'Accounts' },
  about: {
    ru: 'Ключи, с которыми операции отправляются провайдеру. Если в маршруте аккаунт не указан, берутся ключи из настроек среды.',
    en: 'The credentials with which operations are sent to the provider. A route without an account uses those of the environment.',
  },
  account: { ru: 'Аккаунт', en: 'Account' },
  label: { ru: 'Название', en: 'Label' },
  state: { ru: 'Состояние', en: 'State' },
  credentials: { ru: 'Ключи', en: 'Credentials' },
  callbacks: { ru: 'Уведомления провайдера', en: 'Callbacks' },
  environment: { ru: 'Из настроек среды', en: 'From the environment' },
  version: { ru: 'версия', en: 'version' },
  setBy: { ru: 'заданы', en: 'set' },
  previous: { ru: 'прежние действуют до', en: 'the previous ones are valid until' },
  unreadable: { ru: 'не расшифровываются ни одним ключом', en: 'no key can decrypt them' },
  sealedBefore: {
    ru: 'зашифрованы прежним ключом: замените теми же или новыми',
    en: 'encrypted with an old key: replace them with the same or new ones',
  },
  empty: { ru: 'Аккаунтов нет.', en: 'There are no accounts.' },
  add: { ru: 'Добавить аккаунт', en: 'Add an account' },
  replace: { ru: 'Заменить ключи', en: 'Replace the credentials' },
  rename: { ru: 'Переименовать', en: 'Rename' },
  check: { ru: 'Проверить ключ', en: 'Check the key' },
  revoke: {
    ru: 'Прежним ключам больше не верить',
    en: 'Stop accepting the previous ones',
  },
  revokeHint: {
    ru: 'Отметьте, если прежние ключи утекли. Иначе уведомления, подписанные прежним секретом, принимаются ещё 24 часа.',
    en: 'Tick this if the previous credentials have leaked. Otherwise callbacks signed with the previous secret are accepted for another 24 hours.',
  },
  reasonHint: {
    ru: 'Сохраняется в журнале событий, видна на странице аккаунтов.',
    en: 'It is stored in the event log, and shown on the accounts page.',
  },
  nameHint: {
    ru: 'Так его называют маршруты: 1–40 строчных латинских букв, цифр и дефисов. Не меняется.',
    en: 'The name that routes use: 1 to 40 lowercase letters, digits and hyphens. It can’t be changed later.',
  },
  labelHint: {
    ru: 'Для людей, например «Второй договор».',
    en: 'For people, for example “Second contract”.',
  },
  secretHint: {
    ru: 'Хранится зашифрованным и больше не показывается.',
    en: 'It is stored encrypted, and never shown again.',
  },
} as const satisfies Record<string, Words>;

export const stateNames: Readonly<Record<AccountState, Words>> = {
  on: common.on,
  off: common.off,
  removed: common.removed,
};

export const checkTexts: Readonly<Record<CheckResult['result'], Words>> = {
  ok: { ru: 'Провайдер принимает ключ.', en: 'The provider accepts the key.' },
  refused: { ru: 'Провайдер не принимает ключ.', en: 'The provider refuses the key.' },
  unknown: {
    ru: 'Провайдер не дал ясного ответа: подходит ли ключ, неизвестно.',
    en: 'The provider gave no clear answer: it is not known whether the key works.',
  },
  unsupported: {
    ru: 'Этого провайдера нельзя спросить: ключ проверит первая операция.',
    en: 'This provider can’t check keys: the first operation will show whether it works.',
  },
};

/** Each provider's names for its credentials; one without a text is shown by its field name. */
const credentialNames: Readonly<Record<string, Words>> = {
  api_key: common.apiKey,
  callback_secret: { ru: 'Секрет подписи уведомлений', en: 'Secret that signs callbacks' },
  account: { ru: 'Счёт в банке', en: 'Account at the bank' },
  key: common.key,
};

export const credentialName = (name: string): Words =>
  (Object.hasOwn(credentialNames, name) ? credentialNames[name] : undefined) ?? {
    ru: name,
    en: name,
  };
