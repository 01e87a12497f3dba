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
  table,
  timesIn,
  type Pair,
} from '../../frame/components.ts';
import { viewOf, type Console, type View, type ConsoleApp } from '../env.ts';
import { show } from '../frame.ts';
import { outcomeBadge, starter, summaryIn } from './list.ts';
import { common } from '#shared/application/pages/translations.ts';
import { texts } from './texts.ts';

type Ran = Exclude<AuditView, { outcome: 'failed' }>;
type CheckpointFields = NonNullable<Ran['checkpoint'] | Ran['since']>;

export function registerAuditPage(app: ConsoleApp, console: Console): void {
  app.get('/audits/:audit', async (c) => {
    const view = viewOf(c);
    const { t } = view;
    const number = c.req.param('audit');
    const audit = /^\d{1,9}$/.test(number)
      ? await fromStore(auditAt(console.store, Number(number)))
      : undefined;
    if (!audit) throw new Problem('not_found');
    const title = `${t(texts.one)} ${number}`;
    return show(c, console, {
      title,
      section: 'audits',
      trail: [{ href: '/audits', text: t(texts.title) }],
      body: html`${heading(html`${title} ${outcomeBadge(view, audit)}`, '', timesIn(view))}
      ${audit.outcome === 'failed' ? failed(view, audit) : ran(view, audit)}`,
    });
  });
}

const when = (view: View, audit: AuditView): Pair[] => [
  [view.t(common.when), at(view, audit.started_at)],
  [view.t(texts.took), duration(view, audit.seconds)],
  [view.t(texts.startedBy), starter(view, audit)],
];

const failed = (view: View, audit: Extract<AuditView, { outcome: 'failed' }>): Html =>
  html`${notice(
    'danger',
    html`<h2>${view.t(texts.reason)}</h2>
      <p lang="en">${audit.reason}</p>`,
  )}${pairs(when(view, audit))}`;

function ran(view: View, audit: Ran): Html {
  const { t } = view;
  const { since, checkpoint, audited_shop_id: shopId, open_operations: open } = audit;
  return html`${
      audit.not_compared.length > 0 &&
      notice(
        'warning',
        html`<h2>${t(texts.notCompared)}</h2>
          <ul lang="en">
            ${audit.not_compared.map((line) => html`<li>${line}</li>`)}
          </ul>`,
      )
    }
    ${pairs(
      [
        ...when(view, audit),
        [t(texts.rules), summaryText(summaryIn(audit), view.language)],
        [t(texts.asOf), at(view, audit.as_of)],
        [t(texts.upTo), audit.position],
        [t(texts.shop), shopId && html`<a href="/shops/${shopId}">${shopId}</a>`],
        [t(texts.events), count(view, audit.events)],
        [t(common.operations), count(view, audit.operations)],
        [t(texts.open), open === undefined ? undefined : count(view, open)],
        [t(texts.entries), count(view, audit.entries)],
        [t(texts.callbacks), audit.callbacks && callbacksOf(view, audit.callbacks)],
        [t(texts.journal), html`<code>${audit.journal.hash}</code>`],
        [
          t(texts.since),
          since
            ? html`${t(since.holds ? texts.holdsSince : texts.brokenSince)}:
              ${checkpointLine(view, since)}`
            : t(texts.none),
        ],
        [
          t(texts.written),
          checkpoint
            ? html`${checkpointLine(view, checkpoint)} <code>${checkpoint.signed_with}</code>`
            : t(texts.none),
        ],
      ],
      'pairs across',
    )}
    ${moneyOf(view, audit.money ?? [])}
    <h2>${t(texts.findings)}</h2>
    ${findings(view, audit)}
    <h2>${t(texts.rules)}</h2>
    ${rulesTable(view, audit)}`;
}

function callbacksOf(
  view: View,
  { stored, verified, failed: wrong }: NonNullable<Ran['callbacks']>,
): string {
  const { t } = view;
  return `${count(view, verified)} ${t(common.of)} ${count(view, stored)} ${t(texts.verified)}, ${t(texts.callbacksFailed)}: ${count(view, wrong)}`;
}

function moneyOf(view: View, money: NonNullable<Ran['money']>): Html | string {
  if (money.length === 0) return '';
  const { t, language } = view;
  const names = ['in', 'out', ...moneyAccounts] as const;
  return html`<h2>${t(texts.money)}</h2>
    ${table(view, {
      caption: t(texts.money),
      columns: [common.currency, ...names.map((name) => ({ amount: moneyNames[name] }))],
      rows: money.map((each) => [
        each.currency,
        ...names.map((name) => formatAmount(language, each[name], each.currency)),
      ]),
    })}`;
}

const checkpointLine = (view: View, { position, hash, created_at: made }: CheckpointFields): Html =>
  html`${position}, ${at(view, made)} <code>${hash.slice(0, 16)}…</code>`;

function findings(view: View, audit: Ran): Html {
  const { t } = view;
  const { findings: all } = summaryIn(audit);
  if (all === 0) return html`<p>${t(texts.noFindings)}</p>`;
  return html`${all > audit.findings.length && html`<p>${t(texts.firstOnes)}</p>`}${table(view, {
    caption: t(texts.findings),
    columns: [texts.rule, texts.stream, { amount: texts.revision }, { amount: texts.position }],
    rows: audit.findings.map(({ rule, stream, revision, position }) => [
      html`<code>${rule}</code>`,
      streamOf(stream),
      revision ?? '—',
      position ?? '—',
    ]),
    empty: t(texts.noFindings),
  })}`;
}

/** A stream's name; an operation's links to its page. */
function streamOf(stream: string): Html {
  const [, id] = /^(?:operation|late|receipts)-([0-9a-f-]{36})$/.exec(stream) ?? [];
  const text = html`<code>${stream}</code>`;
  return id === undefined ? text : html`<a href="/operations/${id}">${text}</a>`;
}

function rulesTable(view: View, audit: Ran): Html {
  const { t } = view;
  return table(view, {
    caption: t(texts.rules),
    columns: [texts.rule, { amount: texts.checked }, texts.what, texts.outcome],
    rows: audit.rules.map(({ rule: code, looked_at: checked, violations }) => {
      // A record of another version may have unknown rules.
      const rule = isRuleCode(code) ? rules[code] : undefined;
      return [
        html`<code>${code}</code>${rule && html`<br /><span class="muted">${t(rule)}</span>`}`,
        count(view, checked),
        rule ? t(subjects[rule.of]) : '—',
        violations > 0
          ? html`<strong>${t(texts.broken)}: ${count(view, violations)}</strong>`
          : checked > 0
            ? t(texts.holds)
            : html`<span class="muted">${t(texts.silent)}</span>`,
      ];
    }),
  });
}
