import type { Words } from '#shared/application/pages/translations.ts';

/** The texts of an operation's page. */
export const oneTexts = {
  erase: { ru: 'Стереть данные клиента', en: 'Erase the client’s data' },
  personal: { ru: 'Персональные данные', en: 'Personal data' },
  aboutErasing: {
    ru: 'Реквизиты, имя, IP-адрес, метаданные и чеки можно стереть для всех операций этого клиента разом, навсегда.',
    en: 'Requisites, name, IP address, metadata and receipts can be erased permanently, for all operations of this client at once.',
  },
  ofClient: { ru: 'Операции клиента', en: 'Client’s operations' },
  journal: { ru: 'Проводки магазина', en: 'Shop’s ledger' },
  erased: { ru: 'Персональные данные стёрты', en: 'Personal data erased' },
  events: { ru: 'События', en: 'Events' },
  attempts: { ru: 'Попытки у провайдеров', en: 'Provider attempts' },
  receipts: { ru: 'Чеки плательщика', en: 'Receipts uploaded by the payer' },
  evidence: { ru: 'Подтверждения переводов', en: 'Proof of transfers' },
  noEvidence: {
    ru: 'Провайдер сейчас их не отдаёт. Откройте страницу позже.',
    en: 'The provider can’t supply it right now. Reload the page later.',
  },
  againAll: { ru: 'Отправить недоставленные снова', en: 'Resend the exhausted ones' },
  neverMoved: {
    ru: 'Проводок нет: деньги не двигались, или модель чтения отстаёт.',
    en: 'No entries: no money has moved, or the read model is behind.',
  },
  noEntries: {
    ru: 'Проводок нет: деньги ещё не двигались, или модель чтения отстаёт.',
    en: 'No entries: no money has moved yet, or the read model is behind.',
  },
  noMessages: {
    ru: 'Доставок нет: у магазина нет вебхука, или операция ещё не дошла до статуса, о котором сообщают.',
    en: 'No deliveries: the shop has no webhook, or the operation has not reached a status that sends one.',
  },
  attempt: { ru: 'Попытка', en: 'Attempt' },
  outcome: { ru: 'Ответ', en: 'Outcome' },
  reference: { ru: 'Ссылка провайдера', en: 'Provider reference' },
  noAttempts: { ru: 'Ни один маршрут не подошёл.', en: 'No route matched.' },
  open: { ru: 'Открыть', en: 'Open' },
  download: { ru: 'Скачать', en: 'Download' },
  underReview: { ru: 'На проверке', en: 'Under review' },
  pdf: { ru: 'Это PDF', en: 'Is a PDF' },
  transfer: { ru: 'Перевод', en: 'Transfer' },
  synthetic: { ru: 'без файла: создано шлюзом', en: 'no file: created by the gateway' },
  completedAt: { ru: 'Исполнен', en: 'Completed' },
  close: { ru: 'Закрыть вручную', en: 'Close manually' },
  stuck: { ru: 'Провайдер не завершает операцию?', en: 'Stuck at the provider?' },
  aboutClosing: {
    ru: 'Администратор может закрыть её вручную, а если провайдер отвечает, что она ещё в работе, — вопреки ему, с отдельным подтверждением.',
    en: 'An admin can close it manually; if it is still in progress at the provider, by overruling that, which is confirmed separately.',
  },
  decide: { ru: 'К решению по чеку', en: 'Decide on the receipt' },
} as const satisfies Record<string, Words>;
