import { rules } from '#shared/domain/audit/rules.ts';
import { summarizeRules, summaryText } from '#shared/domain/audit/summary.ts';
import { subjects } from '#shared/domain/audit/subjects.ts';
import { html, raw, renderToText, type Html, type Language } from '#shared/platform/pages/index.ts';
import { renderCheckpoints } from './checkpoints.ts';
import { renderFigures } from './figures.ts';
import {
  judged,
  judgedRules,
  listNotCompared,
  computeAuditOutcome,
  type JudgedRule,
} from './audit-summary.ts';
import type { AuditRun } from './run.ts';
import { style } from './style.ts';
import { renderReportTable } from './table.ts';
import { outcomeWords, reportTexts } from './texts.ts';
import type { TracedFinding } from './trace-findings.ts';

/** The report of one audit as a self-contained file for print, without script. */
export function reportHtml(
  run: AuditRun,
  findings: readonly TracedFinding[],
  language: Language,
): string {
  const { result } = run;
  const t = (words: Record<Language, string>) => words[language];
  const all = judgedRules(result, run.findings);
  const outcome = computeAuditOutcome(result, run.findings);
  const summary = summaryText(summarizeRules(all), language);
  return renderDocument(
    language,
    t(reportTexts.title),
    html`<h1>${t(reportTexts.title)}</h1>
      <p class="verdict ${outcome}">${t(outcomeWords[outcome])}</p>
      <p>${summary}</p>
      ${renderFigures(run, language)}
      <h2>${t(reportTexts.rules)}</h2>
      ${rulesTable(run, all, language)}
      <h2>${t(reportTexts.findings)}</h2>
      ${renderFindings(run, findings, language)}
      <h2>${t(reportTexts.checkpoints)}</h2>
      ${renderCheckpoints(run.checkpoints, language)}
      <h2>${t(reportTexts.notChecked)}</h2>
      ${notChecked(run, all, language)}`,
  );
}

/**
 * Written instead of the report when the audit failed, so that an older report is not taken for
 * this one.
 */
export function failureHtml(
  { startedAt, reason }: { startedAt: Date; reason: string },
  language: Language,
): string {
  const title = reportTexts.failed[language];
  return renderDocument(
    language,
    title,
    html`<h1>${title}</h1>
      <p class="verdict failed" lang="en">${reason}</p>
      <p>${reportTexts.ran[language]} ${reportTexts.from[language]} ${startedAt.toISOString()}</p>
      <p>${reportTexts.saysNothing[language]}</p>`,
  );
}

function renderDocument(language: Language, title: string, body: Html): string {
  return renderToText(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta
            http-equiv="content-security-policy"
            content="default-src 'none'; style-src 'unsafe-inline'"
          />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          <style>
            ${raw(style)}
          </style>
        </head>
        <body>
          <main>${body}</main>
        </body>
      </html> `,
  );
}

function rulesTable({ result }: AuditRun, all: readonly JudgedRule[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const ruleNames = new Set(judged(result));
  const renderResult = ({ rule, checked, violations }: JudgedRule): Html => {
    if (violations > 0)
      return html`<span class="bad">${t(reportTexts.violated)}: ${violations}</span>`;
    if (checked > 0) return html`${t(reportTexts.holds)}`;
    return html`<span class="muted"
      >${t(ruleNames.has(rule) ? reportTexts.nothing : reportTexts.notJudged)}</span
    >`;
  };
  const rows = all.map(
    (each) =>
      html`<tr>
        <th scope="row">
          <code>${each.rule}</code><br /><span class="muted">${t(rules[each.rule])}</span>
        </th>
        <td class="number">${each.checked}</td>
        <td>${t(subjects[rules[each.rule].of])}</td>
        <td>${renderResult(each)}</td>
      </tr>`,
  );
  const checked = { number: t(reportTexts.checked) };
  return renderReportTable(
    [t(reportTexts.rule), checked, t(reportTexts.what), t(reportTexts.result)],
    rows,
  );
}

function renderFindings(
  { findings }: AuditRun,
  traced: readonly TracedFinding[],
  language: Language,
): Html {
  const t = (words: Record<Language, string>) => words[language];
  if (findings.total() === 0) return html`<p>${t(reportTexts.noFindings)}</p>`;
  const untold = findings.total() - traced.length;
  const row = ({ rule, stream, revision, position, shopId, message, event }: TracedFinding) =>
    html`<tr>
      <th scope="row"><code>${rule}</code></th>
      <td>
        <code>${stream}${revision === undefined ? '' : ` @ ${revision}`}</code
        >${shopId ? html`<br /><code class="muted">${shopId}</code>` : ''}
      </td>
      <td>
        ${
          event
            ? html`<code>${event.type}</code><br />${event.at}<br /><code>${event.actor}</code
                ><br /><code class="muted">${event.id}</code>`
            : '—'
        }
      </td>
      <td class="number">${position ?? '—'}</td>
      <td class="message" lang="en">${message}</td>
    </tr>`;
  const positions = { number: t(reportTexts.position) };
  const headers = [
    t(reportTexts.rule),
    t(reportTexts.stream),
    t(reportTexts.event),
    positions,
    t(reportTexts.result),
  ];
  return html`<p>${t(reportTexts.inEnglish)}</p>
    ${untold > 0 ? html`<p>${t(reportTexts.more)} ${untold}.</p>` : ''}
    ${renderReportTable(headers, traced.map(row))}`;
}

function notChecked({ result }: AuditRun, all: readonly JudgedRule[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const silent = all.filter(({ checked, violations }) => checked === 0 && violations === 0);
  const notCompared = listNotCompared(result);
  return html`${notCompared.length > 0 ? list(notCompared) : ''}
  ${
    silent.length === 0
      ? html`<p>${t(reportTexts.allChecked)}</p>`
      : html`<p>${t(reportTexts.saidNothing)}</p>
          <ul>
            ${silent.map(({ rule }) => html`<li><code>${rule}</code>: ${t(rules[rule])}</li>`)}
          </ul>`
  }
  ${
    result.notes.length > 0
      ? html`<h3>${t(reportTexts.notes)}</h3>
          ${list(result.notes)}`
      : ''
  }`;
}

const list = (lines: readonly string[]): Html =>
  html`<ul lang="en">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
