import { isRuleCode, rules } from '#shared/domain/audit/rules.ts';
import { moneyAccounts, moneyNames } from '#shared/domain/audit/money-names.ts';
import { summaryText } from '#shared/domain/audit/summary.ts';
import { subjects } from '#shared/domain/audit/subjects.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { formatAmount, html, notice, type Html } from '#shared/platform/pages/index.ts';
import { auditAt, type AuditView } from '../../api/audits/read.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import {
  at,
  count,
  duration,
  heading,
  pairs,
  renderTable,
  timesIn,
  type Pair,
} from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { outcomeBadge, starter, recordedSummary } from './list.ts';
import { common } from '#shared/application/pages/translations.ts';
import { auditTexts } from './texts.ts';

type Ran = Exclude<AuditView, { outcome: 'failed' }>;
type CheckpointFields = NonNullable<Ran['checkpoint'] | Ran['since']>;

export async function auditPage(c: ConsoleContext, console: Console): Promise<PageContent> {
  const view = consoleView(c);
  const { t } = view;
  const number = c.req.param('audit') ?? '';
  const audit = /^\d{1,9}$/.test(number)
    ? await fromStore(auditAt(console.store, Number(number)))
    : undefined;
  if (!audit) throw new Problem('not_found');
  const title = `${t(auditTexts.one)} ${number}`;
  return {
    title,
    body: html`${heading(html`${title} ${outcomeBadge(view, audit)}`, '', timesIn(view))}
    ${audit.outcome === 'failed' ? failed(view, audit) : ran(view, audit)}`,
  };
}

const when = (view: ConsoleView, audit: AuditView): Pair[] => [
  [view.t(common.when), at(view, audit.started_at)],
  [view.t(auditTexts.took), duration(view, audit.seconds)],
  [view.t(auditTexts.startedBy), starter(view, audit)],
];

const failed = (view: ConsoleView, audit: Extract<AuditView, { outcome: 'failed' }>): Html =>
  html`${notice(
    'danger',
    html`<h2>${view.t(auditTexts.reason)}</h2>
      <p lang="en">${audit.reason}</p>`,
  )}${pairs(when(view, audit))}`;

function ran(view: ConsoleView, audit: Ran): Html {
  const { t } = view;
  const { since, checkpoint, audited_shop_id: shopId, open_operations: open } = audit;
  return html`${
      audit.not_compared.length > 0 &&
      notice(
        'warning',
        html`<h2>${t(auditTexts.notCompared)}</h2>
          <ul lang="en">
            ${audit.not_compared.map((line) => html`<li>${line}</li>`)}
          </ul>`,
      )
    }
    ${pairs(
      [
        ...when(view, audit),
        [t(auditTexts.rules), summaryText(recordedSummary(audit), view.language)],
        [t(auditTexts.asOf), at(view, audit.as_of)],
        [t(auditTexts.upTo), audit.position],
        [t(auditTexts.shop), shopId && html`<a href="/shops/${shopId}">${shopId}</a>`],
        [t(auditTexts.events), count(view, audit.events)],
        [t(common.operations), count(view, audit.operations)],
        [t(auditTexts.open), open === undefined ? undefined : count(view, open)],
        [t(auditTexts.entries), count(view, audit.entries)],
        [t(auditTexts.callbacks), audit.callbacks && renderCallbacks(view, audit.callbacks)],
        [t(auditTexts.journal), html`<code>${audit.journal.hash}</code>`],
        [
          t(auditTexts.since),
          since
            ? html`${t(since.holds ? auditTexts.holdsSince : auditTexts.brokenSince)}:
              ${checkpointLine(view, since)}`
            : t(auditTexts.none),
        ],
        [
          t(auditTexts.written),
          checkpoint
            ? html`${checkpointLine(view, checkpoint)} <code>${checkpoint.signed_with}</code>`
            : t(auditTexts.none),
        ],
      ],
      'pairs across',
    )}
    ${renderMoney(view, audit.money ?? [])}
    <h2>${t(auditTexts.findings)}</h2>
    ${findings(view, audit)}
    <h2>${t(auditTexts.rules)}</h2>
    ${rulesTable(view, audit)}`;
}

function renderCallbacks(
  view: ConsoleView,
  { stored, verified, failed: wrong }: NonNullable<Ran['callbacks']>,
): string {
  const { t } = view;
  return `${count(view, verified)} ${t(common.of)} ${count(view, stored)} ${t(auditTexts.verified)}, ${t(auditTexts.callbacksFailed)}: ${count(view, wrong)}`;
}

function renderMoney(view: ConsoleView, money: NonNullable<Ran['money']>): Html | string {
  if (money.length === 0) return '';
  const { t, language } = view;
  const names = ['in', 'out', ...moneyAccounts] as const;
  return html`<h2>${t(auditTexts.money)}</h2>
    ${renderTable(view, {
      caption: t(auditTexts.money),
      columns: [common.currency, ...names.map((name) => ({ amount: moneyNames[name] }))],
      rows: money.map((each) => [
        each.currency,
        ...names.map((name) => formatAmount(language, each[name], each.currency)),
      ]),
    })}`;
}

const checkpointLine = (
  view: ConsoleView,
  { position, hash, created_at: made }: CheckpointFields,
): Html => html`${position}, ${at(view, made)} <code>${hash.slice(0, 16)}…</code>`;

function findings(view: ConsoleView, audit: Ran): Html {
  const { t } = view;
  const { findings: all } = recordedSummary(audit);
  if (all === 0) return html`<p>${t(auditTexts.noFindings)}</p>`;
  return html`${all > audit.findings.length && html`<p>${t(auditTexts.firstOnes)}</p>`}${renderTable(
    view,
    {
      caption: t(auditTexts.findings),
      columns: [
        auditTexts.rule,
        auditTexts.stream,
        { amount: auditTexts.revision },
        { amount: auditTexts.position },
      ],
      rows: audit.findings.map(({ rule, stream, revision, position }) => [
        html`<code>${rule}</code>`,
        renderStream(stream),
        revision ?? '—',
        position ?? '—',
      ]),
      empty: t(auditTexts.noFindings),
    },
  )}`;
}

/** A stream's name; an operation's links to its page. */
function renderStream(stream: string): Html {
  const [, id] = /^(?:operation|late|receipts)-([0-9a-f-]{36})$/.exec(stream) ?? [];
  const text = html`<code>${stream}</code>`;
  return id === undefined ? text : html`<a href="/operations/${id}">${text}</a>`;
}

function rulesTable(view: ConsoleView, audit: Ran): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(auditTexts.rules),
    columns: [auditTexts.rule, { amount: auditTexts.checked }, auditTexts.what, auditTexts.outcome],
    rows: audit.rules.map(({ rule: code, looked_at: checked, violations }) => {
      // A record of another version may have unknown rules.
      const rule = isRuleCode(code) ? rules[code] : undefined;
      return [
        html`<code>${code}</code>${rule && html`<br /><span class="muted">${t(rule)}</span>`}`,
        count(view, checked),
        rule ? t(subjects[rule.of]) : '—',
        violations > 0
          ? html`<strong>${t(auditTexts.broken)}: ${count(view, violations)}</strong>`
          : checked > 0
            ? t(auditTexts.holds)
            : html`<span class="muted">${t(auditTexts.silent)}</span>`,
      ];
    }),
  });
}
