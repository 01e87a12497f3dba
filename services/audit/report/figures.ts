import { html, type Html, type Language } from '#shared/platform/pages/index.ts';
import { moneyAccounts, moneyNames } from '#shared/domain/audit/money-names.ts';
import type { ReportFigures } from '../log/callbacks/reports.ts';
import type { AuditRun } from './run.ts';
import { renderReportTable } from './table.ts';
import { reportTexts } from './texts.ts';

const formatTimeOrDash = (ms: number): string => (ms === 0 ? '—' : new Date(ms).toISOString());

/** Which log was audited, up to where, as of when, and how large it is. */
export function renderFigures(
  { log, result, startedAt, timing }: AuditRun,
  language: Language,
): Html {
  const t = (words: Record<Language, string>) => words[language];
  const { outside, reports, shopId } = result;
  const rows = Object.values(outside?.rows ?? {}).reduce((sum, count) => sum + count, 0);
  const lines: [name: string, value: Html | string | number][] = [
    [t(reportTexts.asOf), formatTimeOrDash(result.asOfMs)],
    [t(reportTexts.upTo), result.position],
    [t(reportTexts.newest), formatTimeOrDash(result.newestMs)],
    [t(reportTexts.log), html`<code>${log.host}</code>`],
    [t(reportTexts.first), log.first ? html`${log.first.at} <code>${log.first.id}</code>` : '—'],
    ...(shopId === undefined
      ? []
      : [[t(reportTexts.shop), html`<code>${shopId}</code>`] as [string, Html]]),
    [t(reportTexts.journal), html`<code>${result.chain.hash}</code> (${result.chain.events})`],
    [t(reportTexts.events), result.events],
    [t(reportTexts.operations), result.operations],
    [t(reportTexts.openOperations), result.openOperations],
    [t(reportTexts.entries), result.entries],
    [t(reportTexts.ledgers), result.ledgers],
    [t(reportTexts.rows), outside ? rows : '—'],
    [t(reportTexts.callbacks), summarizeCallbacks(reports, language)],
    [t(reportTexts.inFlight), result.inFlight],
    [
      t(reportTexts.ran),
      `${t(reportTexts.from)} ${startedAt.toISOString()}, ${timing.seconds.toFixed(1)} ${t(reportTexts.seconds)}`,
    ],
  ];
  return html`<h2>${t(reportTexts.figures)}</h2>
    <table class="figures">
      <tbody>
        ${lines.map(
          ([name, value]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${value}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${renderMoney(result.money, language)}`;
}

/** `8 of 9 verified, 1 failed`. */
function summarizeCallbacks(
  { stored, verified, failed }: ReportFigures,
  language: Language,
): string {
  const ofAll = reportTexts.verifiedOf[language]
    .replace('{verified}', String(verified))
    .replace('{stored}', String(stored));
  return `${ofAll}, ${reportTexts.notVerified[language]} ${failed}`;
}

function renderMoney(money: AuditRun['result']['money'], language: Language): Html | string {
  if (money.length === 0) return '';
  const names = ['in', 'out', ...moneyAccounts] as const;
  const accounts = names.map((name) => ({ number: moneyNames[name][language] }));
  const rows = money.map(
    (each) =>
      html`<tr>
        <th scope="row">${each.currency}</th>
        ${names.map((name) => html`<td class="number">${each[name]}</td>`)}
      </tr>`,
  );
  return html`<h2>${reportTexts.money[language]}</h2>
    ${renderReportTable([reportTexts.currency[language], ...accounts], rows)}`;
}
