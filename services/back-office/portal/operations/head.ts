import type { OperationRow } from '#projections/operations/table.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { DecryptedRecipients } from '#shared/application/personal-data/personal-data.ts';
import { bankLabel } from '#shared/domain/methods/index.ts';
import { snapshotState } from '#shared/domain/operation/fields/snapshot.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { at, pairs, timesIn } from '../../frame/components.ts';
import { fieldPairs } from '../../frame/field-pairs.ts';
import { operationBadge, typeNames } from '../../frame/names.ts';
import type { PortalView } from '../env.ts';
import { explanation } from './explanation.ts';
import { moneyPairs } from './money.ts';
import { maskedNumber } from '../masked-number.ts';
import { operationTexts as texts } from './texts.ts';

type HeadFacts = {
  operation: Operation;
  row: OperationRow;
  shown: OperationView;
  opened: DecryptedRecipients;
  /** All money that came back. */
  returned: string;
  /** Money came after the end. */
  hasLateMoney: boolean;
};

/** An operation's header: what happened, its amounts, and what identifies it. */
export function renderMerchantOperationHead(view: PortalView, facts: HeadFacts): Html {
  const { t, language } = view;
  const { operation, row, shown, opened, returned, hasLateMoney } = facts;
  return html`<header class="heading">
    <div class="row">
      <h1>
        ${t(typeNames[shown.type])} ${formatAmount(language, shown.expected_amount, shown.currency)}
      </h1>
      ${operationBadge(view, operation)}
      ${opened.erased && badge('neutral', t(texts.erased), 'slash')}
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

const order = `merchant_operation_id operation_id client_id method number name bankname_details
  transfer_purpose expires_at manual_check_reason cancel_reason metadata`.split(/\s+/);

const identifiers = (view: PortalView, { operation, row, shown, opened }: HeadFacts) =>
  fieldPairs(view, 'portal', snapshotState(operation, opened), {
    order,
    values: {
      number: shown.number && maskedNumber(shown.method, shown.number),
      bankname_details:
        bankLabel(view.language, { code: shown.bankname, name: shown.bankname_details }) ||
        undefined,
    },
    own: { cancel_reason: [view.t(texts.cancelReason), row.cancel_reason] },
  });
