import { html, type Html, type Language } from '#shared/platform/pages/index.ts';
import { moneyAccounts, moneyNames } from '#shared/domain/audit/money-names.ts';
import type { ReportFigures } from '../log/callbacks/reports.ts';
import type { Run } from './run.ts';
import { tableOf } from './table.ts';
import { texts } from './texts.ts';

const timeOf = (ms: number): string => (ms === 0 ? '—' : new Date(ms).toISOString());

/** Which log was audited, up to where, as of when, and how large it is. */
export function figuresOf({ log, result, startedAt, timing }: Run, language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const { outside, reports, shopId } = result;
  const rows = Object.values(outside?.rows ?? {}).reduce((sum, count) => sum + count, 0);
  const lines: [name: string, value: Html | string | number][] = [
    [t(texts.asOf), timeOf(result.asOfMs)],
    [t(texts.upTo), result.position],
    [t(texts.newest), timeOf(result.newestMs)],
    [t(texts.log), html`<code>${log.host}</code>`],
    [t(texts.first), log.first ? html`${log.first.at} <code>${log.first.id}</code>` : '—'],
    ...(shopId === undefined
      ? []
      : [[t(texts.shop), html`<code>${shopId}</code>`] as [string, Html]]),
    [t(texts.journal), html`<code>${result.chain.hash}</code> (${result.chain.events})`],
    [t(texts.events), result.events],
    [t(texts.operations), result.operations],
    [t(texts.openOperations), result.openOperations],
    [t(texts.entries), result.entries],
    [t(texts.ledgers), result.ledgers],
    [t(texts.rows), outside ? rows : '—'],
    [t(texts.callbacks), callbacksOf(reports, language)],
    [t(texts.inFlight), result.inFlight],
    [
      t(texts.ran),
      `${t(texts.from)} ${startedAt.toISOString()}, ${timing.seconds.toFixed(1)} ${t(texts.seconds)}`,
    ],
  ];
  return html`<h2>${t(texts.figures)}</h2>
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
    ${moneyOf(result.money, language)}`;
}

/** `8 of 9 verified, 1 failed`. */
function callbacksOf({ stored, verified, failed }: ReportFigures, language: Language): string {
  const ofAll = texts.verifiedOf[language]
    .replace('{verified}', String(verified))
    .replace('{stored}', String(stored));
  return `${ofAll}, ${texts.notVerified[language]} ${failed}`;
}

function moneyOf(money: Run['result']['money'], language: Language): Html | string {
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
  return html`<h2>${texts.money[language]}</h2>
    ${tableOf([texts.currency[language], ...accounts], rows)}`;
}
