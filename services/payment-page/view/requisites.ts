import { destinationKind, payerWords } from '#shared/domain/methods/index.ts';
import { copyButton, html, type Html, type Language } from '#shared/platform/pages/index.ts';
import { bankInWords } from '../bank-names.ts';
import type { VisibleDestination } from '../visible-payment.ts';
import { payTexts } from '../texts.ts';
import { grouped } from './digits.ts';

/** The destination of the transfer, each line with a copy button. */
export function requisites(
  language: Language,
  { method, number, name, bank, purpose }: VisibleDestination,
): Html {
  const text = payTexts[language];
  const words = bank && bankInWords(language, bank);
  return html`<dl class="requisites">
    ${line(language, { what: payerWords(method).number[language], label: text.copy.number, copy: number, value: grouped(number, destinationKind(method)), strong: true })}
    ${
      words &&
      line(language, {
        what: text.bank,
        label: text.copy.bank,
        copy: words.russian,
        value: words.latin
          ? html`${words.latin} <span class="muted" lang="ru">${words.russian}</span>`
          : html`<span lang="ru">${words.russian}</span>`,
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
