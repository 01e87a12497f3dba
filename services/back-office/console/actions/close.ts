import { sum } from '#shared/domain/money.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { formatAmount, html, notice } from '#shared/platform/pages/index.ts';
import { providerObjects } from '#shared/application/operations/close-by-hand.ts';
import { closeBody } from '../../api/operations/close.ts';
import { readAdmitted } from '#shared/application/operations/read-events.ts';
import { movedNames, statusBadge } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { trimmedValue, formValue } from '#shared/platform/sessions/form.ts';
import type { Action } from './action.ts';
import { operationStreams } from './review.ts';

const objects = {
  ru: 'Операция не закрыта: провайдер отвечает, что она в работе, или его ответ нельзя применить. Закрыть её можно только вопреки этому.',
  en: 'The operation is not closed: it is in progress at the provider, or the provider’s answer can’t be applied. To close it anyway, turn on the switch below.',
} as const satisfies Words;

export const closeOperation: Action = {
  path: '/operations/:operation_id/close',
  route: 'POST /admin/v1/operations/:operation_id/close',
  title: { ru: 'Закрыть операцию вручную', en: 'Close the operation manually' },
  explain: {
    ru: 'Провайдера спросят ещё раз. Если он не ответит, что операция ещё в работе или принята с отчётом, который нельзя применить, или вы закрываете её вопреки этому, она будет закрыта: с уже полученными деньгами или как отклонённая, а резерв выплаты вернётся на баланс. Провайдеру отправят отмену; всё, о чём он сообщит потом, попадёт в невыясненные суммы. Закрытие нельзя отменить.',
    en: 'The provider is polled once more. Unless it reports that the operation is still in progress, or accepted with a report that can’t be applied, and you do not overrule it, the operation closes: with the money received so far, or as declined, and a payout’s reserve returns to the balance. The provider gets a request to cancel; anything it reports afterwards goes to suspense. This can’t be undone.',
  },
  button: { ru: 'Закрыть операцию', en: 'Close the operation' },
  danger: true,
  done: { ru: 'Операция закрыта.', en: 'The operation is closed.' },
  prepare: async ({ store }, { params, view }) => {
    const { t, language } = view;
    const operation = await readAdmitted(store, params['operation_id'] ?? '');
    const { operationId, request, legs, status, type } = operation;
    const amount = (value: string) => formatAmount(language, value, request.currency);
    const path = `/operations/${operationId}`;
    return {
      about: [
        [t(common.operationId), html`<code>${operationId}</code>`],
        [t(common.status), status === 'creating' ? status : statusBadge(view, status)],
        [t(common.expected), amount(request.amount)],
        [t(movedNames[type]), amount(sum(legs.map((leg) => leg.amount)))],
      ],
      fields: [
        {
          name: 'note',
          label: common.note,
          hint: {
            ru: 'Причина. Сохраняется в журнале событий.',
            en: 'The reason. It is stored in the event log.',
          },
          kind: 'long',
        },
        {
          name: 'force',
          label: {
            ru: 'Закрыть, даже если провайдер отвечает, что операция в работе, или его ответ нельзя применить',
            en: 'Close even if it is in progress at the provider, or its answer can’t be applied',
          },
          hint: {
            ru: 'Только если провайдер подтвердил, что не исполнит её: деньги, которые он отправит позже, не списываются с магазина сами.',
            en: 'Only once the provider has confirmed that it will not be executed: money that it sends later is not charged to the shop by itself.',
          },
          kind: 'switch',
        },
      ],
      back: path,
      trail: [{ href: path, text: operationId.slice(0, 8) }],
    };
  },
  body: (values) => ({
    note: trimmedValue(values, 'note'),
    force: formValue(values, 'force') === undefined ? undefined : true,
  }),
  check: (_, body) => void validate(closeBody, body),
  outcome: async (_, { view, body }) =>
    (body as { force?: boolean }).force
      ? [
          [
            view.t({ ru: 'Если провайдер против', en: 'If the provider objects' }),
            view.t({
              ru: 'Операция закроется всё равно. Резерв выплаты вернётся на баланс, а если деньги уже ушли, они попадут в невыясненные суммы.',
              en: 'The operation is closed anyway. A payout’s reserve returns to the balance; if its money was sent, it goes to suspense.',
            }),
          ],
        ]
      : [],
  explainFault: ({ t }, { code, detail }) =>
    code === 'close_not_allowed' && detail === providerObjects
      ? notice('danger', html`<p>${t(objects)}</p>`, { urgent: true })
      : undefined,
  streams: operationStreams,
};
