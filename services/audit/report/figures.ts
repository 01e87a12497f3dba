import { html, type Html, type Language } from '#shared/platform/pages/index.ts';
import type { Run } from './run.ts';
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
    [t(texts.entries), result.entries],
    [t(texts.ledgers), result.ledgers],
    [t(texts.rows), outside ? rows : '—'],
    [t(texts.callbacks), `${reports.kept}, ${reports.verified}, ${reports.failed}`],
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
    </table>`;
}
