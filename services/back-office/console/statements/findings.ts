import type { StatementFinding } from '#projections/statements/query.ts';
import { findings as findingKinds } from '#shared/domain/statements/findings.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { renderActor, count, shortId, renderTable } from '../../frame/components.ts';
import { action } from '../action-link.ts';
import { closeStatementFindingAction } from '../actions/statements.ts';
import type { ConsoleView } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';
import { findingDecisionNames, findingKindTexts, providerStatementTexts } from './texts.ts';

type Counts = ReadonlyMap<string, { open: number; closed: number }>;

/** Findings by kind, with what to do about each. */
export function groups(
  view: ConsoleView,
  findings: readonly StatementFinding[],
  counts: Counts,
): Html {
  const { t } = view;
  if (counts.size === 0) return html`<div class="empty">${t(providerStatementTexts.none)}</div>`;
  const shown = findingKinds.filter((kind) => findings.some(({ finding }) => finding === kind));
  return html`${shown.map((kind) => {
    const { open = 0, closed = 0 } = counts.get(kind) ?? {};
    return html`<section class="section">
      <h2>${t(findingKindTexts[kind].name)}: ${count(view, open + closed)}</h2>
      <p>${t(findingKindTexts[kind].todo)}</p>
      ${renderTable(view, {
        caption: t(findingKindTexts[kind].name),
        columns: [
          providerStatementTexts.transfer,
          common.operationId,
          { amount: providerStatementTexts.stated },
          { amount: providerStatementTexts.counted },
          providerStatementTexts.note,
        ],
        rows: findings
          .filter(({ finding }) => finding === kind)
          .map((finding) => findingRow(view, finding)),
      })}
    </section>`;
  })}`;
}

/** The note on a finding that is open again because its amounts changed. */
const earlierNote = (view: ConsoleView, finding: StatementFinding): Html | string =>
  finding.earlier_note === null
    ? ''
    : html`<p class="muted small">
        ${view.t(providerStatementTexts.notedBefore)}: ${finding.earlier_note}
        (${renderActor(finding.earlier_by ?? '')})
      </p>`;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function findingRow(view: ConsoleView, finding: StatementFinding): (Html | string)[] {
  const { t, language } = view;
  const { provider, account, currency, day } = finding;
  const { leg_id: legId, operation_id: operationId, decision, note } = finding;
  const amount = (value: string | null) =>
    value === null ? '—' : formatAmount(language, value, currency);
  const hasOperation = operationId !== null && uuid.test(operationId);
  return [
    legId === null ? '—' : shortId(legId),
    operationId === null
      ? '—'
      : shortId(operationId, hasOperation ? `/operations/${operationId}` : undefined),
    amount(finding.amount),
    amount(finding.counted_amount),
    decision === null
      ? html`${action(view, closeStatementFindingAction, {
          params: { provider, account, currency, day, finding_id: finding.finding_id },
          text: providerStatementTexts.close,
        })}${earlierNote(view, finding)}`
      : html`${t(findingDecisionNames[decision])}: ${note}`,
  ];
}
