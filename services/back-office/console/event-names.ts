import type { LateEvent } from '#shared/domain/late/events.ts';
import type { OperationEventType } from '#shared/domain/operation/events.ts';
import type { Tone } from '#shared/platform/pages/index.ts';
import type { Words } from '#shared/application/pages/translations.ts';

type EventName = { name: Words; tone: Tone };

/** The meaning of each event of an operation in a few words; the log's own name is next to it. */
const eventNames: Readonly<Record<OperationEventType | LateEvent['type'], EventName>> = {
  OperationAdmitted: { name: { ru: 'Принята в работу', en: 'Admitted' }, tone: 'info' },
  OperationCancelledBeforeCreate: {
    name: { ru: 'Отменена до создания', en: 'Cancelled before creation' },
    tone: 'neutral',
  },
  AttemptStarted: { name: { ru: 'Выбран маршрут', en: 'Route tried' }, tone: 'neutral' },
  RoutesSkipped: { name: { ru: 'Маршруты пропущены', en: 'Routes skipped' }, tone: 'warning' },
  ReservationRequested: {
    name: { ru: 'Запрошен резерв', en: 'Reserve requested' },
    tone: 'neutral',
  },
  FundsReserved: { name: { ru: 'Деньги зарезервированы', en: 'Funds reserved' }, tone: 'neutral' },
  AttemptAccepted: {
    name: { ru: 'Провайдер принял', en: 'Accepted by the provider' },
    tone: 'info',
  },
  AttemptRefused: {
    name: { ru: 'Провайдер отказал', en: 'Refused by the provider' },
    tone: 'warning',
  },
  AttemptUnresolved: {
    name: { ru: 'Ответ провайдера неизвестен', en: 'Provider’s response unknown' },
    tone: 'warning',
  },
  AttemptWithdrawn: { name: { ru: 'Попытка отозвана', en: 'Attempt withdrawn' }, tone: 'neutral' },
  LegReceived: { name: { ru: 'Учтён перевод', en: 'Transfer recorded' }, tone: 'success' },
  LegCorrected: {
    name: { ru: 'Провайдер исправил перевод', en: 'Transfer corrected by the provider' },
    tone: 'warning',
  },
  LegReturned: {
    name: { ru: 'Перевод вернулся', en: 'Transfer returned' },
    tone: 'warning',
  },
  ReceiptUploaded: { name: { ru: 'Загружен чек', en: 'Receipt uploaded' }, tone: 'info' },
  ReceiptSubmitted: {
    name: { ru: 'Чек передан провайдеру', en: 'Receipt sent to the provider' },
    tone: 'neutral',
  },
  ManualCheckStarted: {
    name: { ru: 'Нужна ручная проверка', en: 'Manual check needed' },
    tone: 'warning',
  },
  ReviewDecided: { name: { ru: 'Решение оператора', en: 'Operator’s decision' }, tone: 'info' },
  CloseDecided: { name: { ru: 'Закрыта вручную', en: 'Closed manually' }, tone: 'warning' },
  OperationCompleted: { name: { ru: 'Завершена', en: 'Completed' }, tone: 'success' },
  OperationPartiallyCompleted: {
    name: { ru: 'Завершена частично', en: 'Partially completed' },
    tone: 'success',
  },
  OperationDeclined: { name: { ru: 'Отклонена', en: 'Declined' }, tone: 'danger' },
  OperationExpired: { name: { ru: 'Истекла', en: 'Expired' }, tone: 'neutral' },
  OperationCancelled: { name: { ru: 'Отменена', en: 'Cancelled' }, tone: 'neutral' },
  LateMoneyReceived: {
    name: { ru: 'Деньги после завершения', en: 'Late money received' },
    tone: 'warning',
  },
  MoneyReturned: {
    name: { ru: 'Деньги ушли обратно', en: 'Money returned' },
    tone: 'warning',
  },
  ApprovedMoneyConfirmed: {
    name: { ru: 'Одобренные деньги получены', en: 'Approved money received' },
    tone: 'success',
  },
  PayoutOvercharged: {
    name: { ru: 'Выплата дороже условленного', en: 'Payout cost more than agreed' },
    tone: 'warning',
  },
  DifferenceReported: {
    name: { ru: 'У провайдера другая сумма', en: 'Provider has another amount' },
    tone: 'warning',
  },
  LateLegCorrected: {
    name: { ru: 'Перевод исправлен после завершения', en: 'Late transfer correction' },
    tone: 'warning',
  },
  LateStatusReported: {
    name: { ru: 'Статус после завершения', en: 'Late status reported' },
    tone: 'warning',
  },
  LateStatusAcknowledged: { name: { ru: 'Принято к сведению', en: 'Acknowledged' }, tone: 'info' },
};

export const eventName = (type: string): EventName | undefined =>
  Object.hasOwn(eventNames, type) ? eventNames[type as keyof typeof eventNames] : undefined;
