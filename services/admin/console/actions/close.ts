import { sum } from '#shared/domain/money.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { formatAmount, html } from '#shared/platform/pages/index.ts';
import { closeBody } from '../../api/operations/close.ts';
import { readEvents } from '../../api/operations/read.ts';
import { statusBadge } from '../names.ts';
import { common } from '../words.ts';
import type { Action } from './action.ts';
import { given } from './shop.ts';

export const closeOperation: Action = {
  path: '/operations/:operation_id/close',
  route: 'POST /admin/v1/operations/:operation_id/close',
  section: 'operations',
  title: { ru: 'Закрыть операцию вручную', en: 'Close the operation by hand' },
  explain: {
    ru: 'Провайдера спросят ещё раз. Если он не говорит, что операция продолжается, она завершится: с теми деньгами, что пришли, или отклонённой, и резерв выплаты вернётся на баланс. Провайдеру велят её отозвать; всё, о чём он сообщит потом, попадёт в невыясненное. Отменить это нельзя.',
    en: 'The provider is asked once more. Unless it says that the operation goes on, it ends: with the money that has come, or declined, and a payout’s reserve goes back to the balance. The provider is told to withdraw; whatever it reports afterwards goes to suspense. This can’t be undone.',
  },
  button: { ru: 'Закрыть операцию', en: 'Close the operation' },
  danger: true,
  done: { ru: 'Операция закрыта.', en: 'The operation is closed.' },
  prepare: async ({ store }, { params, view }) => {
    const { t, language } = view;
    const events = await readEvents(store, params['operation_id'] ?? '');
    const state = foldStored(operations, events);
    if (state.phase !== 'admitted') throw new Problem('operation_not_found');
    const { operationId, request, legs, status } = state;
    const amount = (value: string) => formatAmount(language, value, request.currency);
    const path = `/operations/${operationId}`;
    return {
      about: [
        [t(common.operation), html`<code>${operationId}</code>`],
        [t(common.status), status === 'creating' ? status : statusBadge(view, status)],
        [t({ ru: 'Ожидается', en: 'Expected' }), amount(request.amount)],
        [t({ ru: 'Пришло или ушло', en: 'Came or went' }), amount(sum(legs.map((leg) => leg.amount)))],
      ],
      fields: [
        {
          name: 'note',
          label: common.note,
          hint: { ru: 'Почему: останется в журнале.', en: 'Why: it stays in the log.' },
          kind: 'long',
        },
      ],
      back: path,
      trail: [{ href: path, text: operationId.slice(0, 8) }],
    };
  },
  body: (values) => ({ note: given(values, 'note') ?? '' }),
  check: (_, body) => void validate(closeBody, body),
  streams: ({ params, answer }) => {
    const { shop_id: shopId, settlement_currency: currency } = answer as Record<string, string>;
    return [operationStream(params['operation_id'] ?? ''), ledgerStream(shopId ?? '', currency ?? '')];
  },
};
