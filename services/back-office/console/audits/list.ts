import { common } from '#shared/application/pages/translations.ts';
import type { AuditRan } from '#shared/domain/audit/events.ts';
import { summaryOf, type AuditSummary } from '#shared/domain/audit/summary.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { listAudits, type AuditView } from '../../api/audits/read.ts';
import { decodeRevision, readCursor } from '#shared/platform/http/cursor.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { at, count, heading, pager, pageSize, table, timesIn } from '../../frame/components.ts';
import { viewOf, type Console, type View, type ConsoleApp } from '../env.ts';
import { show } from '../frame.ts';
import { outcomeNames, texts } from './texts.ts';

export function registerAuditsPage(app: ConsoleApp, console: Console): void {
  app.get('/audits', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const before = readCursor(c.req.query('cursor'), decodeRevision);
    const page = await fromStore(listAudits(console.store, { limit: pageSize, before }));
    return show(c, console, {
      title: t(texts.title),
      section: 'audits',
      body: html`${heading(t(texts.title), '', html`${t(texts.about)} ${timesIn(view)}`)}
      ${table(view, {
        caption: t(texts.title),
        columns: [
          common.when,
          texts.outcome,
          { amount: texts.upTo },
          { amount: texts.events },
          { amount: texts.rulesChecked },
          { amount: texts.notApplicable },
          { amount: texts.findings },
          texts.checkpoint,
          texts.startedBy,
        ],
        rows: page.audits.map((audit) => rowOf(view, audit)),
        empty: t(texts.empty),
      })}${pager(view, page.nextCursor)}`,
    });
  });
}

export function outcomeBadge({ t }: View, { outcome }: AuditView): Html {
  const name = outcomeNames[outcome];
  return badge(name.tone, t(name));
}

export const starter = ({ t }: View, { started_by: by }: AuditView): string =>
  by ?? t(texts.scheduled);

/** The summary that the audit itself gave. */
export const summaryIn = ({ rules }: Pick<AuditRan, 'rules'>): AuditSummary =>
  summaryOf(rules.map(({ looked_at: checked, violations }) => ({ checked, violations })));

function rowOf(view: View, audit: AuditView): (Html | string)[] {
  const { t } = view;
  const when = html`<a href="/audits/${audit.audit}">${at(view, audit.started_at)}</a>`;
  const by = starter(view, audit);
  if (audit.outcome === 'failed')
    return [when, outcomeBadge(view, audit), '—', '—', '—', '—', '—', '—', by];
  const { since, checkpoint } = audit;
  const { checked, not_applicable: notApplicable, findings } = summaryIn(audit);
  return [
    when,
    outcomeBadge(view, audit),
    audit.position,
    count(view, audit.events),
    count(view, checked),
    count(view, notApplicable),
    count(view, findings),
    html`${since ? t(since.holds ? texts.holdsSince : texts.brokenSince) : '—'}${
      checkpoint && html` → ${checkpoint.position}`
    }`,
    by,
  ];
}
