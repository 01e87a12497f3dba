import type { Evidence } from '#shared/domain/evidence/events.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { badge, formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { at, renderTable } from '../../frame/components.ts';
import type { ConsoleView } from '../env.ts';
import { common } from '#shared/application/pages/translations.ts';
import type { TonedWords } from '../../frame/names.ts';
import { oneTexts as texts } from './texts.ts';
import { commissionText, routeTarget } from '../routes/difference.ts';

type Outcome = Operation['attempts'][number]['outcome'];

const outcomes: Readonly<Record<Outcome, TonedWords>> = {
  started: { tone: 'info', ru: 'Ждём ответа', en: 'No answer yet' },
  accepted: { tone: 'success', ru: 'Принял', en: 'Accepted' },
  refused: { tone: 'danger', ru: 'Отказал', en: 'Refused' },
  unresolved: { tone: 'warning', ru: 'Неизвестно', en: 'Unknown' },
  withdrawn: { tone: 'neutral', ru: 'Отозвана', en: 'Withdrawn' },
};

/** Providers that were tried, in order. */
export function attemptsTable(view: ConsoleView, { attempts }: Operation): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.attempts),
    columns: [
      { amount: texts.attempt },
      common.provider,
      texts.outcome,
      texts.reference,
      { amount: common.priority },
      { amount: common.commission },
    ],
    rows: attempts.map(({ attempt, route, outcome, providerReference }) => [
      attempt,
      routeTarget(route),
      badge(
        outcomes[outcome].tone,
        t(outcomes[outcome]),
        outcome === 'started' ? 'clock' : undefined,
      ),
      providerReference === undefined ? '—' : html`<code>${providerReference}</code>`,
      route.priority,
      commissionText(view.language, route),
    ]),
    empty: t(texts.noAttempts),
  });
}

/** Receipts that the payer uploaded; their content has an address of its own. */
export function renderReceipts(
  view: ConsoleView,
  { operationId, receipts, receiptUnderReview }: Operation,
): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.receipts),
    columns: [common.receipt, texts.pdf, 'SHA-256', common.file],
    rows: receipts.map(({ receiptId, pdf, sha256 }) => [
      html`<code>${receiptId}</code
        >${receiptId === receiptUnderReview && html` ${badge('warning', t(texts.underReview))}`}`,
      t(pdf ? common.yes : common.no),
      html`<span class="id" title="${sha256}">${sha256.slice(0, 12)}…</span>`,
      html`<a href="/operations/${operationId}/receipts/${receiptId}"
        >${t(pdf ? texts.open : texts.download)}</a
      >`,
    ]),
  });
}

/** What providers can show for the money. */
export function renderEvidence(view: ConsoleView, { items }: Evidence, currency: string): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.evidence),
    columns: [
      texts.transfer,
      { amount: common.amount },
      common.provider,
      texts.completedAt,
      common.file,
    ],
    rows: items.map(
      ({ leg_id: legId, amount, provider, completed_at: completedAt, file, synthetic }) => [
        html`<code>${legId}</code>`,
        formatAmount(view.language, amount, currency),
        provider,
        at(view, completedAt),
        synthetic ? t(texts.synthetic) : t(file ? common.yes : common.no),
      ],
    ),
  });
}
