import { html, type Html, type Language } from '#shared/platform/pages/index.ts';
import type { KnownCheckpoint } from '../log/chain/history.ts';
import type { RunCheckpoints } from './run.ts';
import { renderReportTable } from './table.ts';
import { reportTexts } from './texts.ts';

/**
 * The checkpoint that the audit started from, the one that it wrote, and the folder's earlier ones.
 */
export function renderCheckpoints(
  { since, written, history, older }: RunCheckpoints,
  language: Language,
): Html {
  const t = (words: Record<Language, string>) => words[language];
  return html`${
    since
      ? html`<p class="${since.holds ? '' : 'bad'}">
          ${t(since.holds ? reportTexts.held : reportTexts.notHeld)} <code>${since.file}</code>
        </p>`
      : html`<p>${t(reportTexts.noCheckpoints)}</p>`
  }
  ${written ? html`<p>${t(reportTexts.written)} <code>${written.file}</code></p>` : ''}
  ${
    history.length === 0
      ? ''
      : html`<h3>
            ${t(reportTexts.history)}${older > 0 ? ` (${older} ${t(reportTexts.older)})` : ''}
          </h3>
          ${table(history, language)}`
  }`;
}

function table(history: readonly KnownCheckpoint[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const counted = [{ number: t(reportTexts.position) }, { number: t(reportTexts.events) }];
  const signed = [t(reportTexts.journal), t(reportTexts.signedWith), t(reportTexts.signature)];
  const rows = history.map(
    (each) =>
      html`<tr>
        <th scope="row"><code>${each.file}</code></th>
        <td>${each.createdAt}</td>
        <td class="number">${each.position}</td>
        <td class="number">${each.events}</td>
        <td><code>${each.hash}</code></td>
        <td><code>${each.signedWith}</code></td>
        <td>
          ${
            each.problem === undefined
              ? t(reportTexts.valid)
              : html`<span class="bad" lang="en">${each.problem}</span>`
          }
        </td>
      </tr>`,
  );
  return renderReportTable([t(reportTexts.file), t(reportTexts.made), ...counted, ...signed], rows);
}
