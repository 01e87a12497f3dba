import { common } from '#shared/application/pages/translations.ts';
import type { AuditRan } from '#shared/domain/audit/events.ts';
import { summarizeRules, type AuditSummary } from '#shared/domain/audit/summary.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { listAudits, type AuditView } from '../../api/audits/read.ts';
import { decodeRevision, readCursor } from '#shared/platform/http/cursor.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  at,
  count,
  heading,
  pager,
  pageSize,
  renderTable,
  timesIn,
} from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { outcomeNames, auditTexts } from './texts.ts';

export async function auditsPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const before = readCursor(c.req.query('cursor'), decodeRevision);
  const page = await fromStore(listAudits(console.store, { limit: pageSize, before }));
  return {
    title: t(auditTexts.title),
    body: html`${heading(t(auditTexts.title), '', html`${t(auditTexts.about)} ${timesIn(view)}`)}
    ${renderTable(view, {
      caption: t(auditTexts.title),
      columns: [
        common.when,
        auditTexts.outcome,
        { amount: auditTexts.upTo },
        { amount: auditTexts.events },
        { amount: auditTexts.rulesChecked },
        { amount: auditTexts.notApplicable },
        { amount: auditTexts.findings },
        auditTexts.checkpoint,
        auditTexts.startedBy,
      ],
      rows: page.audits.map((audit) => renderRow(view, audit)),
      empty: t(auditTexts.empty),
    })}${pager(view, page.nextCursor)}`,
  };
}

export function outcomeBadge({ t }: ConsoleView, { outcome }: AuditView): Html {
  const name = outcomeNames[outcome];
  return badge(name.tone, t(name));
}

export const starter = ({ t }: ConsoleView, { started_by: by }: AuditView): string =>
  by ?? t(auditTexts.scheduled);

/** The summary that the audit itself gave. */
export const recordedSummary = ({ rules }: Pick<AuditRan, 'rules'>): AuditSummary =>
  summarizeRules(rules.map(({ looked_at: checked, violations }) => ({ checked, violations })));

function renderRow(view: ConsoleView, audit: AuditView): (Html | string)[] {
  const { t } = view;
  const when = html`<a href="/audits/${audit.audit}">${at(view, audit.started_at)}</a>`;
  const by = starter(view, audit);
  if (audit.outcome === 'failed')
    return [when, outcomeBadge(view, audit), '—', '—', '—', '—', '—', '—', by];
  const { since, checkpoint } = audit;
  const { checked, not_applicable: notApplicable, findings } = recordedSummary(audit);
  return [
    when,
    outcomeBadge(view, audit),
    audit.position,
    count(view, audit.events),
    count(view, checked),
    count(view, notApplicable),
    count(view, findings),
    html`${since ? t(since.holds ? auditTexts.holdsSince : auditTexts.brokenSince) : '—'}${
      checkpoint && html` → ${checkpoint.position}`
    }`,
    by,
  ];
}
