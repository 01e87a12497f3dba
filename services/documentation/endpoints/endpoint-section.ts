import { problems, type ProblemCode } from '#shared/platform/http/problems.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import type { Endpoint, Example } from '#shared/api/openapi/endpoint.ts';
import { pathOfCode } from '#shared/platform/http/problems.ts';
import { headingHtml, markdown } from '../markdown/blocks.ts';
import { codeBlock } from '../markdown/code.ts';
import { escapeHtml } from '../markdown/escape.ts';
import { inline } from '../markdown/inline.ts';
import { renderCurl } from './curl.ts';
import { endpointName } from './names.ts';
import { tryIt } from './try-it.ts';

const texts = {
  ru: {
    noKey: 'без ключа',
    scope: 'область',
    allScopes: 'ключ без областей',
    parameters: 'Параметры',
    body: 'Тело',
    answer: 'Ответ',
    errors: 'Ошибки',
    fields: 'Коды отдельных полей',
    request: 'Запрос',
  },
  en: {
    noKey: 'no key',
    scope: 'scope',
    allScopes: 'key without scopes',
    parameters: 'Parameters',
    body: 'Body',
    answer: 'Answer',
    errors: 'Errors',
    fields: 'Codes of single fields',
    request: 'Request',
  },
} satisfies Translations<object>;

export const methodTag = (method: string): string =>
  `<span class="method ${method}">${method.toUpperCase()}</span>`;

/** What one endpoint takes and answers. */
export function endpointSection(
  endpoint: Endpoint,
  language: Language,
  { canTry }: { canTry: boolean },
): string {
  const { body, answer, fields = [], parameters = [] } = endpoint;
  const words = texts[language];
  const codes = [...new Set(fields.map(([code]) => code))];
  const address = `${methodTag(endpoint.method)} <code>${escapeHtml(endpoint.path)}</code>`;
  const curl = { language: 'sh', label: 'curl', code: renderCurl(endpoint) };
  return `<section class="endpoint">
${headingHtml({ level: 3, id: endpoint.id }, inline(endpointName(endpoint, language)))}
<p class="address">${address}${keyBadge(endpoint, words)}</p>
${markdown(endpoint.description, { language }).html}
${parameters.length === 0 ? '' : `<h4>${words.parameters}</h4><ul>${parameters.map(({ name, description }) => `<li><code>${name}</code>: ${inline(description)}</li>`).join('')}</ul>`}
${codeBlock(curl, language)}
${canTry ? tryIt(endpoint, language) : ''}
${body ? `<h4>${words.body}</h4><p><code>${body.contentType}</code>: ${schemaLink(body.name)}</p>${renderExamples(body.examples, language)}` : ''}
<h4>${words.answer} <code>${answer.status}</code></h4>
<p>${inline(answer.description)}${answer.name === undefined ? '' : `: ${schemaLink(answer.name)}`}</p>
${renderExamples(answer.examples, language)}
<h4>${words.errors}</h4>
<ul class="codes">${byStatus(endpoint.problems)}</ul>
${codes.length === 0 ? '' : `<p class="codes">${words.fields}: ${codes.map(codeLink).join(' ')}</p>`}
</section>`;
}

function keyBadge({ needsKey, scope }: Endpoint, words: (typeof texts)[Language]): string {
  if (!needsKey) return ` <span class="badge">${words.noKey}</span>`;
  return scope === undefined || scope === 'all'
    ? ` <span class="badge">${words.allScopes}</span>`
    : ` <span class="badge">${words.scope} <code>${scope}</code></span>`;
}

const codeLink = (code: string) => `<a href="${pathOfCode(code)}"><code>${code}</code></a>`;

const schemaLink = (name: string) => `<a href="#schema-${name}">${name}</a>`;

function byStatus(codes: readonly ProblemCode[]): string {
  return [...Map.groupBy(codes, (code) => problems[code].status)]
    .toSorted(([left], [right]) => left - right)
    .map(([status, listed]) => `<li><b>${status}</b> ${listed.map(codeLink).join(' ')}</li>`)
    .join('');
}

function renderExamples(
  examples: Readonly<Record<string, Example>> | undefined,
  language: Language,
): string {
  return Object.values(examples ?? {})
    .map(({ summary, value }, index) => {
      const code = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      return `<details${index === 0 ? ' open' : ''}><summary>${inline(summary)}</summary>${codeBlock({ language: 'json', label: summary, code }, language)}</details>`;
    })
    .join('\n');
}
