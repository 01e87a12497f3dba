import type { LateEvent } from '#shared/domain/late/events.ts';
import type { OperationEventType } from '#shared/domain/operation/events.ts';
import type { Tone } from '#shared/platform/pages/index.ts';
import type { Words } from '../words.ts';

type EventName = { name: Words; tone: Tone };

/** What each event of an operation says in a few words; the log's own name stands beside it. */
export const eventNames: Readonly<Record<OperationEventType | LateEvent['type'], EventName>> = {
  OperationAdmitted: { name: { ru: 'Принята в работу', en: 'Admitted' }, tone: 'info' },
  OperationCancelledBeforeCreate: {
    name: { ru: 'Отменена до создания', en: 'Cancelled before its create' },
    tone: 'neutral',
  },
  AttemptStarted: { name: { ru: 'Выбран маршрут', en: 'A route is tried' }, tone: 'neutral' },
  ReservationRequested: { name: { ru: 'Запрошен резерв', en: 'Funds requested' }, tone: 'neutral' },
  FundsReserved: { name: { ru: 'Деньги зарезервированы', en: 'Funds reserved' }, tone: 'neutral' },
  AttemptAccepted: { name: { ru: 'Провайдер принял', en: 'Accepted by the provider' }, tone: 'info' },
  AttemptRefused: { name: { ru: 'Провайдер отказал', en: 'Refused by the provider' }, tone: 'warning' },
  AttemptUnresolved: {
    name: { ru: 'Ответ провайдера неизвестен', en: 'The provider’s answer is not known' },
    tone: 'warning',
  },
  AttemptWithdrawn: { name: { ru: 'Попытка отозвана', en: 'Attempt withdrawn' }, tone: 'neutral' },
  LegReceived: { name: { ru: 'Пришла часть денег', en: 'Money came in part' }, tone: 'success' },
  LegCorrected: {
    name: { ru: 'Провайдер исправил сумму', en: 'The provider corrected a transfer' },
    tone: 'warning',
  },
  ReceiptUploaded: { name: { ru: 'Загружен чек', en: 'Receipt uploaded' }, tone: 'info' },
  ReceiptSubmitted: {
    name: { ru: 'Чек передан провайдеру', en: 'Receipt given to the provider' },
    tone: 'neutral',
  },
  ManualCheckStarted: {
    name: { ru: 'Нужна ручная проверка', en: 'A person must check it' },
    tone: 'warning',
  },
  ReviewDecided: { name: { ru: 'Решение оператора', en: 'An operator decided' }, tone: 'info' },
  CloseDecided: { name: { ru: 'Закрыта вручную', en: 'Closed by hand' }, tone: 'warning' },
  OperationCompleted: { name: { ru: 'Завершена', en: 'Completed' }, tone: 'success' },
  OperationPartiallyCompleted: {
    name: { ru: 'Завершена частично', en: 'Partially completed' },
    tone: 'success',
  },
  OperationDeclined: { name: { ru: 'Отклонена', en: 'Declined' }, tone: 'danger' },
  OperationExpired: { name: { ru: 'Истекла', en: 'Expired' }, tone: 'neutral' },
  OperationCancelled: { name: { ru: 'Отменена', en: 'Cancelled' }, tone: 'neutral' },
  LateMoneyReceived: { name: { ru: 'Деньги после завершения', en: 'Money after the end' }, tone: 'warning' },
  ApprovedMoneyConfirmed: {
    name: { ru: 'Одобренные деньги пришли', en: 'Approved money has come' },
    tone: 'success',
  },
  PayoutOvercharged: {
    name: { ru: 'Выплата дороже условленного', en: 'A payout cost more than agreed' },
    tone: 'warning',
  },
  LateLegCorrected: {
    name: { ru: 'Исправление после завершения', en: 'A transfer corrected after the end' },
    tone: 'warning',
  },
  LateStatusReported: {
    name: { ru: 'Статус после завершения', en: 'Another end reported' },
    tone: 'warning',
  },
  LateStatusAcknowledged: { name: { ru: 'Принято к сведению', en: 'Acknowledged' }, tone: 'info' },
};

export const eventName = (type: string): EventName | undefined =>
  Object.hasOwn(eventNames, type) ? eventNames[type as keyof typeof eventNames] : undefined;
