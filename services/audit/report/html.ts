import { rules } from '#shared/domain/audit/rules.ts';
import { summaryOf, summaryText } from '#shared/domain/audit/summary.ts';
import { subjects } from '#shared/domain/audit/subjects.ts';
import { html, raw, textOf, type Html, type Language } from '#shared/platform/pages/index.ts';
import { checkpointsOf } from './checkpoints.ts';
import { figuresOf } from './figures.ts';
import { judged, judgedRules, notComparedOf, outcomeOf, type JudgedRule } from './audit-summary.ts';
import type { Run } from './run.ts';
import { style } from './style.ts';
import { tableOf } from './table.ts';
import { outcomeWords, texts } from './texts.ts';
import type { TracedFinding } from './trace-findings.ts';

/** The report of one audit as a self-contained file for print, without script. */
export function reportHtml(
  run: Run,
  findings: readonly TracedFinding[],
  language: Language,
): string {
  const { result } = run;
  const t = (words: Record<Language, string>) => words[language];
  const all = judgedRules(result, run.findings);
  const outcome = outcomeOf(result, run.findings);
  const summary = summaryText(summaryOf(all), language);
  return documentOf(
    language,
    t(texts.title),
    html`<h1>${t(texts.title)}</h1>
      <p class="verdict ${outcome}">${t(outcomeWords[outcome])}</p>
      <p>${summary}</p>
      ${figuresOf(run, language)}
      <h2>${t(texts.rules)}</h2>
      ${rulesTable(run, all, language)}
      <h2>${t(texts.findings)}</h2>
      ${findingsOf(run, findings, language)}
      <h2>${t(texts.checkpoints)}</h2>
      ${checkpointsOf(run.checkpoints, language)}
      <h2>${t(texts.notChecked)}</h2>
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
  const title = texts.failed[language];
  return documentOf(
    language,
    title,
    html`<h1>${title}</h1>
      <p class="verdict failed" lang="en">${reason}</p>
      <p>${texts.ran[language]} ${texts.from[language]} ${startedAt.toISOString()}</p>
      <p>${texts.saysNothing[language]}</p>`,
  );
}

function documentOf(language: Language, title: string, body: Html): string {
  return textOf(
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

function rulesTable({ result }: Run, all: readonly JudgedRule[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const ruleNames = new Set(judged(result));
  const resultOf = ({ rule, checked, violations }: JudgedRule): Html => {
    if (violations > 0) return html`<span class="bad">${t(texts.violated)}: ${violations}</span>`;
    if (checked > 0) return html`${t(texts.holds)}`;
    return html`<span class="muted"
      >${t(ruleNames.has(rule) ? texts.nothing : texts.notJudged)}</span
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
        <td>${resultOf(each)}</td>
      </tr>`,
  );
  const checked = { number: t(texts.checked) };
  return tableOf([t(texts.rule), checked, t(texts.what), t(texts.result)], rows);
}

function findingsOf({ findings }: Run, traced: readonly TracedFinding[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  if (findings.total() === 0) return html`<p>${t(texts.noFindings)}</p>`;
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
  const positions = { number: t(texts.position) };
  const headers = [t(texts.rule), t(texts.stream), t(texts.event), positions, t(texts.result)];
  return html`<p>${t(texts.inEnglish)}</p>
    ${untold > 0 ? html`<p>${t(texts.more)} ${untold}.</p>` : ''}
    ${tableOf(headers, traced.map(row))}`;
}

function notChecked({ result }: Run, all: readonly JudgedRule[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const silent = all.filter(({ checked, violations }) => checked === 0 && violations === 0);
  const notCompared = notComparedOf(result);
  return html`${notCompared.length > 0 ? list(notCompared) : ''}
  ${
    silent.length === 0
      ? html`<p>${t(texts.allChecked)}</p>`
      : html`<p>${t(texts.saidNothing)}</p>
          <ul>
            ${silent.map(({ rule }) => html`<li><code>${rule}</code>: ${t(rules[rule])}</li>`)}
          </ul>`
  }
  ${
    result.notes.length > 0
      ? html`<h3>${t(texts.notes)}</h3>
          ${list(result.notes)}`
      : ''
  }`;
}

const list = (lines: readonly string[]): Html =>
  html`<ul lang="en">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
