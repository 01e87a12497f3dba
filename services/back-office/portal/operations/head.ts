import type { OperationRow } from '#projections/operations/table.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { at, metadataList, pairs, timesIn, wholeId } from '../../frame/components.ts';
import { operationBadge, reasonNames, typeNames } from '../../frame/names.ts';
import type { PortalView } from '../env.ts';
import { explanation } from './explanation.ts';
import { moneyPairs } from './money.ts';
import { maskedNumber } from '../masked-number.ts';
import { operationTexts as texts } from './texts.ts';

type HeadFacts = {
  operation: Operation;
  row: OperationRow;
  shown: OperationView;
  erased: boolean;
  /** All money that came back. */
  returned: string;
  /** Money came after the end. */
  hasLateMoney: boolean;
};

/** An operation's header: what happened, its amounts, and what identifies it. */
export function renderMerchantOperationHead(view: PortalView, facts: HeadFacts): Html {
  const { t, language } = view;
  const { operation, row, shown, erased, returned, hasLateMoney } = facts;
  return html`<header class="heading">
    <div class="row">
      <h1>
        ${t(typeNames[shown.type])} ${formatAmount(language, shown.expected_amount, shown.currency)}
      </h1>
      ${operationBadge(view, operation)} ${erased && badge('neutral', t(texts.erased), 'slash')}
    </div>
    <p class="measure">${explanation(view, operation, { ...shown, hasLateMoney })}</p>
    ${pairs([...times(view, row), ...moneyPairs(view, shown, returned), ...identifiers(view, facts)], 'pairs across')}
    <p class="muted">${timesIn(view)}</p>
  </header>`;
}

const times = (view: PortalView, { created_at: created, ended_at: ended }: OperationRow) =>
  [
    [view.t(common.created), at(view, created)],
    [view.t(texts.ended), ended && at(view, ended)],
  ] as const;

function identifiers(view: PortalView, { operation, row, shown }: HeadFacts) {
  const { t } = view;
  const { cancel_reason: cancelReason } = row;
  const copied = (name: string, id: string) => [name, wholeId(view, id, name)] as const;
  return [
    copied(t(common.merchantOperationId), operation.merchantOperationId),
    copied(t(common.operationId), shown.operation_id),
    [t(common.client), html`<code>${operation.request.client_id}</code>`],
    [t(common.method), html`<code>${shown.method}</code>`],
    [
      t(texts.number),
      shown.number && html`<code>${maskedNumber(shown.method, shown.number)}</code>`,
    ],
    [t(texts.recipient), shown.name || undefined],
    [t(common.bank), shown.bankname_details ?? shown.bankname],
    [t(texts.purpose), shown.transfer_purpose && html`<code>${shown.transfer_purpose}</code>`],
    [t(texts.expires), shown.expires_at && at(view, shown.expires_at)],
    [t(texts.check), shown.manual_check_reason && t(reasonNames[shown.manual_check_reason])],
    [t(texts.cancelReason), cancelReason],
    [t(common.metadata), metadataList(shown.metadata)],
  ] as const;
}
