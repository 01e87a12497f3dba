import type { Language, Translations } from '#shared/platform/pages/language.ts';
import type { OperationStatus } from '#shared/domain/operation/state.ts';
import { confirmCommand } from '../endpoints/curl.ts';
import { headingHtml, type Heading, type RenderedText } from '../markdown/blocks.ts';
import { codeBlock } from '../markdown/code.ts';
import { inline } from '../markdown/inline.ts';
import { pathOfCode } from '#shared/platform/http/problems.ts';
import { renderStatusBadge } from '../statuses/tables.ts';
import { sandboxScenarios, type Scenario } from './scenarios.ts';

const texts = {
  ru: { route: 'Маршрут', end: 'Итог', receipt: 'требует чека' },
  en: { route: 'Route', end: 'Result', receipt: 'requires a receipt' },
} satisfies Translations<object>;

/** The commands to type after the operation was created. */
export function renderCommands({ receipt, commands }: Scenario): string {
  return [
    ...(receipt ? [confirmCommand] : []),
    ...commands.map(
      ({ command, body }) =>
        `curl -sS -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' \\\n  $PROVIDER/control/operations/$OPERATION_ID/${command}`,
    ),
  ].join('\n\n');
}

/** Every scenario with its input and result. */
export function scenarioSections(language: Language): RenderedText {
  const headings: Heading[] = sandboxScenarios.map(({ id, title }) => ({
    level: 3,
    id,
    text: title[language],
  }));
  const html = sandboxScenarios.map((scenario) => {
    const { id, title, text, ends } = scenario;
    const commands = renderCommands(scenario);
    return `<section>
${headingHtml({ level: 3, id }, inline(title[language]))}
<p>${inline(text[language])}</p>
<p class="facts"><span>${texts[language].route}: ${renderRoute(scenario, language)}</span><span>${texts[language].end}: ${renderOutcome(ends, language)}</span></p>
${commands === '' ? '' : codeBlock({ language: 'sh', label: 'Shell', code: commands }, language)}
</section>`;
  });
  return { html: html.join('\n'), headings };
}

function renderRoute({ type, route }: Scenario, language: Language): string {
  const options = `<code>${inline(JSON.stringify(route.options ?? {}))}</code>`;
  return `<code>${type}</code>, ${route.requires_receipt ? `${texts[language].receipt}, ` : ''}<code>options</code> ${options}`;
}

function renderOutcome(ends: Scenario['ends'], language: Language): string {
  if ('refused' in ends)
    return `<a href="${pathOfCode(ends.refused)}"><code>${ends.refused}</code></a>`;
  return `${renderStatusBadge(ends.status as OperationStatus, language)} <code>${ends.actual_amount}</code>`;
}
