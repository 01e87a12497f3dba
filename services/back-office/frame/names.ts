import type { MemberRole } from '#shared/domain/member/events.ts';
import {
  declineReasonTable,
  toDeclineReason,
  type DeclineReason,
} from '#shared/domain/operation/ends/decline-reason.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { badge, formatAmount, html, type Html, type Tone } from '#shared/platform/pages/index.ts';
import type { MessageStatus } from '#shared/application/webhooks/database/tables.ts';
import { attemptErrorWords } from '#shared/application/webhooks/attempt-errors.ts';
import { statusTones } from '#shared/application/pages/status-tones.ts';
import type { View } from './components.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

/** Names of the domain's terms on pages. */

/** A name, and the tone of its badge. */
export type TonedWords = Words & { tone: Tone };

export const memberRoleNames: Readonly<Record<MemberRole, Words>> = {
  admin: { ru: 'администратор', en: 'admin' },
  viewer: { ru: 'наблюдатель', en: 'viewer' },
};

export const typeNames: Readonly<Record<'payment' | 'payout', Words>> = {
  payment: { ru: 'Платёж', en: 'Payment' },
  payout: { ru: 'Выплата', en: 'Payout' },
};

/** The name of an operation's money once it has moved. */
export const movedNames: Readonly<Record<'payment' | 'payout', Words>> = {
  payment: { ru: 'Получено', en: 'Received' },
  payout: { ru: 'Выплачено', en: 'Paid out' },
};

type OperationStatus = Operation['status'];

export const statusNames: Readonly<Record<OperationStatus, Words>> = {
  creating: { ru: 'Создаётся', en: 'Creating' },
  pending: { ru: 'Ожидает', en: 'Pending' },
  awaiting_confirmation: { ru: 'Ждёт подтверждения', en: 'Awaiting confirmation' },
  manual_check: common.manualCheck,
  completed: { ru: 'Завершено', en: 'Completed' },
  partially_completed: { ru: 'Завершено частично', en: 'Partially completed' },
  declined: { ru: 'Отклонено', en: 'Declined' },
  expired: { ru: 'Срок истёк', en: 'Expired' },
  cancelled: { ru: 'Отменено', en: 'Cancelled' },
};

/** The name of `awaiting_confirmation`, without a receipt and with one. */
const receiptNames = {
  awaited: statusNames.awaiting_confirmation,
  uploaded: {
    ru: 'Ждёт подтверждения: чек загружен',
    en: 'Awaiting confirmation: receipt uploaded',
  },
} as const satisfies Record<string, Words>;

export function statusBadge(
  { t }: View,
  status: OperationStatus,
  { receipt = 'awaited' }: { receipt?: keyof typeof receiptNames } = {},
): Html {
  const name = status === 'awaiting_confirmation' ? receiptNames[receipt] : statusNames[status];
  return badge(statusTones[status], t(name), statusIcon(status));
}

/** The columns of the read model that a badge needs. */
export type BadgeRow = {
  status: OperationStatus;
  decline_reason: DeclineReason | null;
  receipts_count: number;
  receipt_uploaded_at: Date | null;
  reviewed_at: Date | null;
};

/** The badge of an operation, from the log or its row, with the reason for a decline. */
export function operationBadge(view: View, operation: Operation | BadgeRow): Html {
  const uploaded =
    'receipts_count' in operation
      ? isBeingChecked(operation)
      : operation.receiptUnderReview !== undefined;
  const reason = declineReason(operation);
  return html`${statusBadge(view, operation.status, { receipt: uploaded ? 'uploaded' : 'awaited' })}
  ${reason && html`<span class="muted small">${view.t(declineReasonTable[reason].label)}</span>`}`;
}

const declineReason = (operation: Operation | BadgeRow): DeclineReason | undefined =>
  'receipts_count' in operation
    ? (operation.decline_reason ?? undefined)
    : operation.declineCause && toDeclineReason(operation.declineCause);

export type AmountColumns = {
  expected_amount: string;
  actual_amount: string;
  currency: string;
  ended_at: Date | null;
  type: 'payment' | 'payout';
  returned_amount?: string;
};

/** The name of returned money. */
export const returnedNames: Readonly<Record<'payment' | 'payout', Words>> = {
  payment: { ru: 'Чарджбэк', en: 'Charged back' },
  payout: { ru: 'Вернулось', en: 'Returned' },
};

/** The expected amount of a row, the actual one if it differs, and a mark if money was returned. */
export function renderAmounts({ t, language }: View, row: AmountColumns): Html {
  const { expected_amount: expected, actual_amount: actual, currency, ended_at: endedAt } = row;
  const differs = endedAt !== null && actual !== expected && Number(actual) > 0;
  const other = html`<br /><span class="muted">${formatAmount(language, actual, currency)}</span>`;
  const { type, returned_amount: back } = row;
  const mark =
    back !== undefined &&
    html`<br />${badge('warning', `${t(returnedNames[type])} ${formatAmount(language, back, currency)}`)}`;
  return html`${formatAmount(language, expected, currency)}${differs && other}${mark || ''}`;
}

/** A receipt was uploaded, and none was requested since. */
const isBeingChecked = ({
  receipt_uploaded_at: uploaded,
  reviewed_at: reviewed,
}: BadgeRow): boolean => uploaded !== null && (reviewed === null || reviewed < uploaded);

function statusIcon(status: OperationStatus) {
  if (status === 'expired' || status === 'cancelled') return 'slash';
  if (status === 'completed' || status === 'partially_completed') return 'circleCheck';
  if (status === 'declined') return 'circleCross';
  return status === 'manual_check' ? 'warning' : 'clock';
}

export const messageStatusNames: Readonly<Record<MessageStatus, TonedWords>> = {
  pending: { tone: 'info', ru: 'Ожидает', en: 'Pending' },
  delivered: { tone: 'success', ru: 'Доставлено', en: 'Delivered' },
  exhausted: { tone: 'danger', ru: 'Не доставлено', en: 'Exhausted' },
  cancelled: { tone: 'neutral', ru: 'Отменено', en: 'Cancelled' },
};

export function messageBadge({ t }: View, status: MessageStatus): Html {
  const name = messageStatusNames[status];
  return badge(name.tone, t(name), status === 'pending' ? 'clock' : undefined);
}

export const reasonNames: Readonly<Record<'potential_fake' | 'not_terminal', Words>> = {
  potential_fake: { ru: 'возможна подделка', en: 'possible forgery' },
  not_terminal: {
    ru: 'не читается или перевод не завершён',
    en: 'unreadable, or the transfer is not complete',
  },
};

const disabledReasonNames: Readonly<Record<string, Words>> = {
  merchant: { ru: 'выключен в магазине', en: 'switched off by the shop' },
  operator: { ru: 'выключен оператором шлюза', en: 'switched off by the gateway’s operator' },
  'the endpoint answered 410 Gone': {
    ru: 'выключен, потому что ответил 410 Gone',
    en: 'switched off because it answered 410 Gone',
  },
};

/** Why an endpoint is off; a reason that is not known here is shown as it is recorded. */
export function disabledReasonWords({ t }: Pick<View, 't'>, reason: string): string {
  const words = disabledReasonNames[reason];
  return words ? t(words) : reason;
}

/** Why an attempt to deliver a webhook failed; an older wording stays in English. */
export function attemptErrorText({ t }: Pick<View, 't'>, stored: string): Html {
  const words = attemptErrorWords(stored);
  return words ? html`${t(words)}` : html`<span lang="en">${stored}</span>`;
}
