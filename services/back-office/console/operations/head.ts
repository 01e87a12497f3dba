import { sum } from '#shared/domain/money.ts';
import { openedFields } from '#shared/domain/operation/fields/request.ts';
import { snapshotState } from '#shared/domain/operation/fields/snapshot.ts';
import {
  currentRoute,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { pairs, shortId, wholeId } from '../../frame/components.ts';
import { fieldPairs } from '../../frame/field-pairs.ts';
import { action } from '../action-link.ts';
import { reviewOperation } from '../actions/review.ts';
import type { ConsoleView } from '../env.ts';
import { movedNames, operationBadge, typeNames } from '../../frame/names.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { isErased } from '../../api/operations/read.ts';
import { oneTexts as texts } from './texts.ts';

type HeadInput = { operationId: string; state: OperationState; shopName: string | undefined };

/** An operation's header: status, money, shop and client, and its identifiers in full. */
export function renderOperationHead(
  view: ConsoleView,
  { operationId, state, shopName }: HeadInput,
): Html {
  const { t, language } = view;
  if (state.phase !== 'admitted')
    return html`<header class="heading">
      <h1>${t(common.operation)}</h1>
      ${wholeId(view, operationId, t(common.operationId))}
    </header>`;
  const { request, shopId, settled, legs, type, status } = state;
  const actual = settled?.actual_amount ?? sum(legs.map(({ amount }) => amount));
  const decide =
    status === 'manual_check'
      ? action(
          view,
          { ...reviewOperation, path: '/review' },
          {
            query: { operation: operationId },
            text: texts.decide,
            tone: 'primary',
          },
        )
      : '';
  const clients = new URLSearchParams({ q: request.client_id }).toString();
  const link = (href: string, text: Words) =>
    html`<a class="button small" href="${href}">${t(text)}</a>`;
  const erased = isErased(state) ? badge('neutral', t(texts.erased), 'slash') : '';
  return html`<header class="heading operation-head">
    <div class="spread">
      <div class="row">
        <h1>${t(typeNames[type])} ${formatAmount(language, request.amount, request.currency)}</h1>
        ${operationBadge(view, state)} ${erased}
      </div>
      <div class="row">
        ${decide}${link(`/operations?${clients}`, texts.ofClient)}${link(`/shops/${shopId}/messages?operation_id=${operationId}`, common.deliveries)}${link(`/shops/${shopId}/ledger/${ledgerCurrency(state)}`, texts.journal)}
      </div>
    </div>
    ${pairs(
      fieldPairs(view, 'console', snapshotState(state, { fields: openedFields(request) }), {
        order,
        own: {
          shop: [
            t(common.shop),
            html`<a href="/shops/${shopId}">${shopName ?? html`<code>${shopId}</code>`}</a
              >${shopName !== undefined && html` ${shortId(shopId)}`}`,
          ],
          moved: [
            t(movedNames[type]),
            html`<strong>${formatAmount(language, actual, request.currency)}</strong>`,
          ],
        },
      }),
      'pairs across',
    )}
  </header>`;
}

const order = `operation_id merchant_operation_id shop client_id method moved metadata`.split(' ');

/** The currency of the ledger that has its entries. */
const ledgerCurrency = (operation: Operation): string =>
  currentRoute(operation)?.conversion?.settlement_currency ?? operation.request.currency;
