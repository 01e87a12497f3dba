import type { ActivityKind } from '#projections/operators/activity.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** What operators do, in a few words. */
export const kindNames: Readonly<Record<ActivityKind, Words>> = {
  MerchantCreated: { ru: 'Создан мерчант', en: 'Merchant created' },
  ShopCreated: { ru: 'Создан магазин', en: 'Shop created' },
  ShopChanged: { ru: 'Изменены настройки магазина', en: 'Shop’s settings changed' },
  RoutesReplaced: { ru: 'Заменены маршруты', en: 'Routes replaced' },
  ProviderSwitchedOff: { ru: 'Провайдер отключён', en: 'Provider switched off' },
  ProviderSwitchedOn: { ru: 'Провайдер включён', en: 'Provider switched on' },
  ProviderAccountAdded: {
    ru: 'Добавлен аккаунт у провайдера',
    en: 'Account with a provider added',
  },
  ProviderAccountCredentialsReplaced: {
    ru: 'Заменены ключи аккаунта у провайдера',
    en: 'Credentials of a provider account replaced',
  },
  ProviderAccountRenamed: {
    ru: 'Переименован аккаунт у провайдера',
    en: 'Provider account renamed',
  },
  ProviderAccountSwitchedOff: {
    ru: 'Аккаунт у провайдера отключён',
    en: 'Provider account switched off',
  },
  ProviderAccountSwitchedOn: {
    ru: 'Аккаунт у провайдера включён',
    en: 'Provider account switched on',
  },
  ProviderAccountRemoved: { ru: 'Удалён аккаунт у провайдера', en: 'Provider account removed' },
  ApiKeyIssued: { ru: 'Выпущен ключ API', en: 'API key issued' },
  ApiKeyRevoked: { ru: 'Отозван ключ API', en: 'API key revoked' },
  MemberAdded: { ru: 'Добавлен сотрудник мерчанта', en: 'Merchant’s member added' },
  MemberLinkIssued: { ru: 'Выдана ссылка для входа в кабинет', en: 'Link to the portal issued' },
  MemberRemoved: { ru: 'Удалён сотрудник мерчанта', en: 'Merchant’s member removed' },
  WebhookConfigured: { ru: 'Настроен вебхук', en: 'Webhook configured' },
  WebhookSecretIssued: { ru: 'Выпущен секрет вебхука', en: 'Webhook secret issued' },
  WebhookPingRequested: { ru: 'Отправлен ping', en: 'Ping sent' },
  WebhookRedeliveryRequested: { ru: 'Вебхук отправлен снова', en: 'Webhook resent' },
  WebhookRedeliveriesRequested: { ru: 'Вебхуки отправлены снова', en: 'Webhooks resent' },
  AdjustmentRequested: { ru: 'Исправлен баланс', en: 'Balance adjusted' },
  PersonalDataErasureRequested: { ru: 'Стёрты данные клиента', en: 'Client’s data erased' },
  AdminTokenIssued: { ru: 'Выпущен токен', en: 'Token issued' },
  AdminTokenRevoked: { ru: 'Отозван токен', en: 'Token revoked' },
  StatementImported: { ru: 'Загружена выписка провайдера', en: 'Provider’s statement imported' },
  StatementFindingClosed: {
    ru: 'Закрыто расхождение с выпиской',
    en: 'Difference from a statement closed',
  },
  ReviewDecided: { ru: 'Решение по чеку', en: 'Decision on a receipt' },
  CloseDecided: { ru: 'Операция закрыта вручную', en: 'Operation closed manually' },
  EntryPosted: { ru: 'Решение о невыясненной сумме', en: 'Suspense resolved' },
  LateStatusAcknowledged: {
    ru: 'Поздний статус принят к сведению',
    en: 'Late status acknowledged',
  },
};

/** A kind without a text is shown by its name in the log. */
export const kindName = (kind: string): Words | undefined =>
  Object.hasOwn(kindNames, kind) ? kindNames[kind as ActivityKind] : undefined;
