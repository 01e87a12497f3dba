import { bankLabel, destinationKind, payerWords } from '#shared/domain/methods/index.ts';
import { copyButton, html, type Html, type Language } from '#shared/platform/pages/index.ts';
import type { VisibleDestination } from '../visible-payment.ts';
import { payTexts } from '../texts.ts';
import { grouped } from './digits.ts';

/** The destination of the transfer, each line with a copy button. */
export function requisites(
  language: Language,
  { method, number, name, bank, purpose }: VisibleDestination,
): Html {
  const text = payTexts[language];
  // The payer's banking app lists banks in Russian.
  const russian = bank && bankLabel('ru', bank);
  const label = bank && bankLabel(language, bank);
  return html`<dl class="requisites">
    ${line(language, { what: payerWords(method).number[language], label: text.copy.number, copy: number, value: grouped(number, destinationKind(method)), strong: true })}
    ${
      russian &&
      line(language, {
        what: text.bank,
        label: text.copy.bank,
        copy: russian,
        value:
          label === russian
            ? html`<span lang="ru">${russian}</span>`
            : html`${label} <span class="muted" lang="ru">${russian}</span>`,
      })
    }
    ${name && line(language, { what: text.recipient, label: text.copy.recipient, copy: name, value: html`${name}` })}
    ${purpose && line(language, { what: text.purpose, label: text.copy.purpose, copy: purpose, value: html`${purpose}`, strong: true })}
  </dl>`;
}

type Line = { what: string; label: string; copy: string; value: Html; strong?: boolean };

function line(language: Language, { what, label, copy, value, strong = false }: Line): Html {
  return html`<div>
    <dt>${what}</dt>
    <dd>
      <span class="${strong ? 'value strong' : 'value'}">${value}</span>
      ${copyButton(language, { text: copy, label })}
    </dd>
  </div>`;
}
