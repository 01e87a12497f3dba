import type { LateEvent } from '#shared/domain/late/events.ts';
import type { OperationEventType } from '#shared/domain/operation/events.ts';
import type { TonedWords } from '../frame/names.ts';

/** The meaning of each event of an operation in a few words; the log's own name is next to it. */
const eventNames: Readonly<Record<OperationEventType | LateEvent['type'], TonedWords>> = {
  OperationAdmitted: { tone: 'info', ru: 'Принята в работу', en: 'Admitted' },
  OperationCancelledBeforeCreate: {
    tone: 'neutral',
    ru: 'Отменена до создания',
    en: 'Cancelled before creation',
  },
  AttemptStarted: { tone: 'neutral', ru: 'Выбран маршрут', en: 'Route tried' },
  RoutesSkipped: { tone: 'warning', ru: 'Маршруты пропущены', en: 'Routes skipped' },
  ReservationRequested: { tone: 'neutral', ru: 'Запрошен резерв', en: 'Reserve requested' },
  FundsReserved: { tone: 'neutral', ru: 'Деньги зарезервированы', en: 'Funds reserved' },
  AttemptAccepted: { tone: 'info', ru: 'Провайдер принял', en: 'Accepted by the provider' },
  AttemptRefused: { tone: 'warning', ru: 'Провайдер отказал', en: 'Refused by the provider' },
  AttemptUnresolved: {
    tone: 'warning',
    ru: 'Ответ провайдера неизвестен',
    en: 'Provider’s response unknown',
  },
  AttemptWithdrawn: { tone: 'neutral', ru: 'Попытка отозвана', en: 'Attempt withdrawn' },
  LegReceived: { tone: 'success', ru: 'Учтён перевод', en: 'Transfer recorded' },
  LegCorrected: {
    tone: 'warning',
    ru: 'Провайдер исправил перевод',
    en: 'Transfer corrected by the provider',
  },
  LegReturned: { tone: 'warning', ru: 'Перевод вернулся', en: 'Transfer returned' },
  ReceiptUploaded: { tone: 'info', ru: 'Загружен чек', en: 'Receipt uploaded' },
  ReceiptSubmitted: {
    tone: 'neutral',
    ru: 'Чек передан провайдеру',
    en: 'Receipt sent to the provider',
  },
  ManualCheckStarted: { tone: 'warning', ru: 'Нужна ручная проверка', en: 'Manual check needed' },
  ReviewDecided: { tone: 'info', ru: 'Решение оператора', en: 'Operator’s decision' },
  CloseDecided: { tone: 'warning', ru: 'Закрыто вручную', en: 'Closed manually' },
  OperationCompleted: { tone: 'success', ru: 'Завершено', en: 'Completed' },
  OperationPartiallyCompleted: {
    tone: 'success',
    ru: 'Завершено частично',
    en: 'Partially completed',
  },
  OperationDeclined: { tone: 'danger', ru: 'Отклонено', en: 'Declined' },
  OperationExpired: { tone: 'neutral', ru: 'Срок истёк', en: 'Expired' },
  OperationCancelled: { tone: 'neutral', ru: 'Отменено', en: 'Cancelled' },
  LateMoneyReceived: { tone: 'warning', ru: 'Деньги после завершения', en: 'Late money received' },
  MoneyReturned: { tone: 'warning', ru: 'Деньги ушли обратно', en: 'Money returned' },
  ApprovedMoneyConfirmed: {
    tone: 'success',
    ru: 'Одобренные деньги получены',
    en: 'Approved money received',
  },
  PayoutOvercharged: {
    tone: 'warning',
    ru: 'Выплата дороже условленного',
    en: 'Payout cost more than agreed',
  },
  DifferenceReported: {
    tone: 'warning',
    ru: 'У провайдера другая сумма',
    en: 'Provider has another amount',
  },
  LateLegCorrected: {
    tone: 'warning',
    ru: 'Перевод исправлен после завершения',
    en: 'Late transfer correction',
  },
  LateStatusReported: {
    tone: 'warning',
    ru: 'Статус после завершения',
    en: 'Late status reported',
  },
  LateStatusAcknowledged: { tone: 'info', ru: 'Принято к сведению', en: 'Acknowledged' },
};

export const eventName = (type: string): TonedWords | undefined =>
  Object.hasOwn(eventNames, type) ? eventNames[type as keyof typeof eventNames] : undefined;
