import { html, type Html, type Language } from '#shared/platform/pages/index.ts';
import type { KnownCheckpoint } from '../log/chain/history.ts';
import type { Checkpoints } from './run.ts';
import { tableOf } from './table.ts';
import { texts } from './texts.ts';

/**
 * The checkpoint that the audit started from, the one that it wrote, and the folder's earlier ones.
 */
export function checkpointsOf(
  { since, written, history, older }: Checkpoints,
  language: Language,
): Html {
  const t = (words: Record<Language, string>) => words[language];
  return html`${
    since
      ? html`<p class="${since.holds ? '' : 'bad'}">
          ${t(since.holds ? texts.held : texts.notHeld)} <code>${since.file}</code>
        </p>`
      : html`<p>${t(texts.noCheckpoints)}</p>`
  }
  ${written ? html`<p>${t(texts.written)} <code>${written.file}</code></p>` : ''}
  ${
    history.length === 0
      ? ''
      : html`<h3>${t(texts.history)}${older > 0 ? ` (${older} ${t(texts.older)})` : ''}</h3>
          ${table(history, language)}`
  }`;
}

function table(history: readonly KnownCheckpoint[], language: Language): Html {
  const t = (words: Record<Language, string>) => words[language];
  const counted = [{ number: t(texts.position) }, { number: t(texts.events) }];
  const signed = [t(texts.journal), t(texts.signedWith), t(texts.signature)];
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
              ? t(texts.valid)
              : html`<span class="bad" lang="en">${each.problem}</span>`
          }
        </td>
      </tr>`,
  );
  return tableOf([t(texts.file), t(texts.made), ...counted, ...signed], rows);
}
