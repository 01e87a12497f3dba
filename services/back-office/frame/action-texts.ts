import { common, type Words } from '#shared/application/pages/translations.ts';

type ActWords = Readonly<Record<'title' | 'explain' | 'button' | 'done', Words>>;

/** Texts of actions that the console and the portal share. */
export const actWords = {
  issueKey: {
    title: { ru: 'Новый API-ключ', en: 'New API key' },
    explain: {
      ru: 'Ключ показывается один раз; хранится только его хеш. Выпущенные раньше ключи продолжают действовать.',
      en: 'The key is shown once; only its hash is stored. Existing keys keep working.',
    },
    button: { ru: 'Выпустить ключ', en: 'Issue the key' },
    done: { ru: 'Ключ выпущен.', en: 'The key has been issued.' },
  },
  revokeKey: {
    title: { ru: 'Отозвать API-ключ', en: 'Revoke the API key' },
    explain: {
      ru: 'Запросы с этим ключом сразу начнут отклоняться. Вернуть отозванный ключ нельзя.',
      en: 'Requests with this key are refused at once. A revoked key can’t be restored.',
    },
    button: { ru: 'Отозвать ключ', en: 'Revoke the key' },
    done: { ru: 'Ключ отозван.', en: 'The key is revoked.' },
  },
  addMember: {
    title: common.newMember,
    explain: {
      ru: 'Ссылка для входа показывается один раз. Она действует час и впускает один раз: передайте её только этому человеку.',
      en: 'The sign-in link is shown once. It works for an hour, for a single sign-in: give it only to this person.',
    },
    button: { ru: 'Добавить', en: 'Add the member' },
    done: { ru: 'Сотрудник добавлен.', en: 'The member is added.' },
  },
  issueMemberLink: {
    title: common.signInLink,
    explain: {
      ru: 'Ссылка показывается один раз, действует час и впускает один раз. Прежняя, если ею не вошли, перестаёт действовать.',
      en: 'The link is shown once. It works for an hour, for a single sign-in. An earlier unused link stops working.',
    },
    button: { ru: 'Создать ссылку', en: 'Create the link' },
    done: { ru: 'Ссылка создана.', en: 'The link is created.' },
  },
  rotateSecret: {
    title: { ru: 'Сменить секрет подписи', en: 'Rotate the signing secret' },
    explain: {
      ru: 'Прежний секрет действует ещё 24 часа вместе с новым. Новый показывается один раз.',
      en: 'The previous secret stays valid for 24 hours together with the new one. The new one is shown once.',
    },
    button: { ru: 'Сменить секрет', en: 'Rotate the secret' },
    done: { ru: 'Секрет сменён.', en: 'The secret is rotated.' },
  },
  resendWebhook: {
    title: { ru: 'Отправить вебхук снова', en: 'Resend the webhook' },
    explain: {
      ru: 'Вебхук отправляется снова, с начала расписания, с теми же байтами и тем же webhook-id.',
      en: 'It is sent again from the start of the schedule: the same bytes with the same webhook-id.',
    },
    button: common.resend,
    done: { ru: 'Вебхук отправляется снова.', en: 'The webhook is being resent.' },
  },
} as const satisfies Record<string, ActWords>;

export const secretName: Words = { ru: 'Секрет подписи', en: 'Signing secret' };

/** The field of a new API key's label. */
export const keyLabelHint: Words = {
  ru: 'Где ключ будет использоваться, например «сервер 1».',
  en: 'Where the key will be used, for example “server 1”.',
};
