import { pathOfCode } from '#shared/platform/http/problems.ts';
import type { Language, Translated } from '#shared/platform/pages/language.ts';
import {
  amountScenarios,
  type AmountScenario,
} from '#shared/application/providers/sandbox/amounts.ts';
import { tableHtml } from '../markdown/blocks.ts';
import { inline } from '../markdown/inline.ts';
import { statusBadge } from '../statuses/tables.ts';

const texts = {
  ru: { amount: 'Сумма', happens: 'Что происходит', end: 'Итог' },
  en: { amount: 'Amount', happens: 'What happens', end: 'Result' },
} satisfies Translated<object>;

/** The amounts that choose what the sandbox does with an operation of this type. */
export function amountTable(type: 'payment' | 'payout', language: Language): string {
  const { amount, happens, end } = texts[language];
  const rows = amountScenarios
    .filter((scenario) => scenario.type === type)
    .map((scenario) => [
      `<code>${scenario.amount}</code>`,
      // Before the text: on a phone the last column is beyond the edge.
      endOf(scenario, language),
      inline(scenario.text[language]),
    ]);
  return tableHtml([amount, end, happens], rows);
}

function endOf({ ends }: AmountScenario, language: Language): string {
  if (ends !== 'refused') return statusBadge(ends, language);
  return `<a href="${pathOfCode('provider_not_accepted')}"><code>provider_not_accepted</code></a>`;
}
