import type { Language, Translated } from '#shared/platform/pages/language.ts';
import type { Status } from '#shared/domain/operation/state.ts';
import { confirmCommand } from '../endpoints/curl.ts';
import { headingHtml, type Heading, type Rendered } from '../markdown/blocks.ts';
import { codeBlock } from '../markdown/code.ts';
import { inline } from '../markdown/inline.ts';
import { pathOfCode } from '#shared/platform/http/problems.ts';
import { statusBadge } from '../statuses/tables.ts';
import { scenarios, type Scenario } from './scenarios.ts';

const texts = {
  ru: { route: 'Маршрут', end: 'Итог', receipt: 'требует чека' },
  en: { route: 'Route', end: 'Result', receipt: 'requires a receipt' },
} satisfies Translated<object>;

/** The commands to type after the operation was created. */
export function commandsOf({ receipt, commands }: Scenario): string {
  return [
    ...(receipt ? [confirmCommand] : []),
    ...commands.map(
      ({ command, body }) =>
        `curl -sS -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' \\\n  $PROVIDER/control/operations/$OPERATION_ID/${command}`,
    ),
  ].join('\n\n');
}

/** Every scenario with its input and result. */
export function scenarioSections(language: Language): Rendered {
  const headings: Heading[] = scenarios.map(({ id, title }) => ({
    level: 3,
    id,
    text: title[language],
  }));
  const html = scenarios.map((scenario) => {
    const { id, title, text, ends } = scenario;
    const commands = commandsOf(scenario);
    return `<section>
${headingHtml({ level: 3, id }, inline(title[language]))}
<p>${inline(text[language])}</p>
<p class="facts"><span>${texts[language].route}: ${routeOf(scenario, language)}</span><span>${texts[language].end}: ${endOf(ends, language)}</span></p>
${commands === '' ? '' : codeBlock({ language: 'sh', label: 'Shell', code: commands }, language)}
</section>`;
  });
  return { html: html.join('\n'), headings };
}

function routeOf({ type, route }: Scenario, language: Language): string {
  const options = `<code>${inline(JSON.stringify(route.options ?? {}))}</code>`;
  return `<code>${type}</code>, ${route.requires_receipt ? `${texts[language].receipt}, ` : ''}<code>options</code> ${options}`;
}

function endOf(ends: Scenario['ends'], language: Language): string {
  if ('refused' in ends)
    return `<a href="${pathOfCode(ends.refused)}"><code>${ends.refused}</code></a>`;
  return `${statusBadge(ends.status as Status, language)} <code>${ends.actual_amount}</code>`;
}
