import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { isZero, zero } from '#shared/domain/money.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { formatAmount, html } from '#shared/platform/pages/index.ts';
import { readAdmitted, readOperationEvents } from '#shared/application/operations/read-events.ts';
import { simulateReview } from '#shared/application/operations/review-receipt.ts';
import { reviewBody, reviewRules, toReviewCommand } from '../../api/operations/review.ts';
import type { ConsoleView } from '../env.ts';
import { statusBadge } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue } from '#shared/platform/sessions/form.ts';
import type { Field } from '../../frame/form-fields.ts';
import type { Action, Done } from './action.ts';
import { givenAmount } from './shop.ts';
import type { Pair } from '../../frame/components.ts';

export const decisionNames = {
  approve: { ru: 'Одобрить', en: 'Approve' },
  decline: { ru: 'Отклонить', en: 'Decline' },
  ask_again: { ru: 'Запросить новый чек', en: 'Request another receipt' },
} as const satisfies Record<string, Words>;
type ReviewDecision = keyof typeof decisionNames;

/** The fields of a decision on a receipt; the queue shows the same form next to the receipt. */
export const reviewFields = (decisions: readonly { value: string; text: string }[]): Field[] => [
  {
    name: 'decision',
    label: common.decision,
    kind: 'choice',
    choices: decisions,
  },
  {
    name: 'actual_amount',
    label: { ru: 'Сумма по чеку', en: 'Amount on the receipt' },
    hint: {
      ru: 'Сколько получено всего. Больше ожидаемого может одобрить только администратор.',
      en: 'The total received. Only an admin may approve more than expected.',
    },
    kind: 'number',
    optional: { ru: 'обязательно для одобрения', en: 'required to approve' },
  },
  {
    name: 'note',
    label: common.note,
    hint: {
      ru: 'Причина решения. Сохраняется в журнале событий.',
      en: 'The reason for the decision. It is stored in the event log.',
    },
    kind: 'long',
  },
];

/** The receipt to decide on: the one shown when the form was opened. */
export const receiptField = (receiptId: string): Field => ({
  name: 'receipt_id',
  label: common.receipt,
  kind: 'hidden',
  value: receiptId,
});

const outcomeTexts = {
  status: { ru: 'Новый статус', en: 'New status' },
  actual: { ru: 'Получено всего', en: 'Total received' },
  expected: { ru: 'Ожидалось', en: 'Expected' },
  recorded: { ru: 'По курсу', en: 'Converted' },
  credited: { ru: 'Будет зачислено магазину', en: 'Credited to the shop' },
  nothing: { ru: 'ничего', en: 'nothing' },
} as const satisfies Record<string, Words>;

/** The money that a decision credits, and how it comes about. */
function describeCredit(view: ConsoleView, after: Operation): Pair[] {
  const { t, language } = view;
  const shown = viewOperation(after);
  if (!shown) throw new Error('an operation under review can be shown');
  const { status, currency, actual_amount, settlement_amount = zero, settlement_currency } = shown;
  const becomes: Pair = [t(outcomeTexts.status), statusBadge(view, status)];
  if (!isTerminal(status) || isZero(actual_amount))
    return [becomes, [t(outcomeTexts.credited), html`<strong>${t(outcomeTexts.nothing)}</strong>`]];
  const inBooks = (amount: string) => formatAmount(language, amount, settlement_currency);
  return [
    becomes,
    [t(outcomeTexts.expected), formatAmount(language, shown.expected_amount, currency)],
    [t(outcomeTexts.actual), formatAmount(language, actual_amount, currency)],
    [
      `${t(outcomeTexts.recorded)}, ${shown.fx_rate}`,
      shown.fx_rate && shown.recorded_amount && inBooks(shown.recorded_amount),
    ],
    [t(common.commission), inBooks(shown.commission_amount ?? zero)],
    [
      t(outcomeTexts.credited),
      html`<strong class="figure-large">${inBooks(settlement_amount)}</strong>`,
    ],
  ];
}

/**
 * Another receipt may only be requested if this one was unreadable or showed a transfer under way.
 */
export const decisionsFor = (reason: string | null | undefined): ReviewDecision[] =>
  reason === 'not_terminal' ? ['approve', 'decline', 'ask_again'] : ['approve', 'decline'];

/** The streams that a decision on an operation may have written to. */
export function operationStreams({ params, answer }: Done): string[] {
  const { shop_id: shopId, settlement_currency: currency } = answer as Record<string, string>;
  return [
    operationStream(params['operation_id'] ?? ''),
    ledgerStream(shopId ?? '', currency ?? ''),
  ];
}

export const reviewOperation: Action = {
  path: '/operations/:operation_id/review',
  route: 'POST /admin/v1/operations/:operation_id/review',
  title: { ru: 'Решение по чеку', en: 'Decide on the receipt' },
  explain: {
    ru: 'Одобрение завершает платёж и зачисляет сумму; отклонение завершает его без неё. Отменить решение нельзя.',
    en: 'Approving completes the payment and credits the amount; declining closes it without that money. Neither can be undone.',
  },
  button: { ru: 'Подтвердить решение', en: 'Confirm the decision' },
  danger: true,
  done: { ru: 'Решение записано.', en: 'The decision is recorded.' },
  prepare: async ({ store }, { params, view }) => {
    const { t, language } = view;
    const operation = await readAdmitted(store, params['operation_id'] ?? '');
    const { operationId, request, manualCheckReason, receiptUnderReview = '' } = operation;
    const path = `/operations/${operationId}`;
    const decisions = decisionsFor(manualCheckReason);
    return {
      about: [
        [t(common.operationId), html`<code>${operationId}</code>`],
        [t(common.expected), formatAmount(language, request.amount, request.currency)],
      ],
      fields: [
        ...reviewFields(decisions.map((value) => ({ value, text: t(decisionNames[value]) }))),
        receiptField(receiptUnderReview),
      ],
      back: `/review?operation=${operationId}`,
      trail: [
        { href: '/review', text: t(common.manualCheck) },
        { href: path, text: operationId.slice(0, 8) },
      ],
    };
  },
  body: (values) => ({
    decision: formValue(values, 'decision'),
    actual_amount: givenAmount(values, 'actual_amount'),
    // Empty if the form was opened before there was a receipt: then there is none to decide on.
    receipt_id: values['receipt_id'],
    note: trimmedValue(values, 'note'),
  }),
  check: (_, body) => void validate(reviewBody, body, reviewRules),
  outcome: async ({ store }, { params, view, body }) => {
    const events = await readOperationEvents(store, params['operation_id'] ?? '');
    const operator = { role: view.session?.holder.role ?? 'auditor' };
    const command = toReviewCommand(validate(reviewBody, body, reviewRules), operator);
    const after = simulateReview(events, command);
    return describeCredit(view, after);
  },
  streams: operationStreams,
  next: ({ params }) => `/review?after=${params['operation_id']}`,
};
