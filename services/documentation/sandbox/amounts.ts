import { pathOfCode } from '#shared/platform/http/problems.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import {
  amountScenarios,
  type AmountScenario,
} from '#shared/application/providers/sandbox/amounts.ts';
import { tableHtml } from '../markdown/blocks.ts';
import { inline } from '../markdown/inline.ts';
import { renderStatusBadge } from '../statuses/tables.ts';

const texts = {
  ru: { amount: 'Сумма', happens: 'Что происходит', end: 'Итог' },
  en: { amount: 'Amount', happens: 'What happens', end: 'Result' },
} satisfies Translations<object>;

/** The amounts that choose what the sandbox does with an operation of this type. */
export function amountTable(type: 'payment' | 'payout', language: Language): string {
  const { amount, happens, end } = texts[language];
  const rows = amountScenarios
    .filter((scenario) => scenario.type === type)
    .map((scenario) => [
      `<code>${scenario.amount}</code>`,
      renderOutcome(scenario, language),
      inline(scenario.text[language]),
    ]);
  return tableHtml([amount, end, happens], rows, { stacked: true });
}

function renderOutcome({ ends }: AmountScenario, language: Language): string {
  if (ends !== 'refused') return renderStatusBadge(ends, language);
  return `<a href="${pathOfCode('provider_not_accepted')}"><code>provider_not_accepted</code></a>`;
}
