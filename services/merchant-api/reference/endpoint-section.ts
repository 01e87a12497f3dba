import { problems, type ProblemCode } from '#shared/http/problems.ts';
import type { Endpoint, Example } from '../openapi/endpoint.ts';
import { escapeHtml, inline, markdown } from './markdown.ts';
import { fieldAnchor, problemAnchor } from './errors-section.ts';

/** What one endpoint takes and answers. */
export function endpointSection(endpoint: Endpoint): string {
  const { body, answer, fields = [] } = endpoint;
  const codes = [...new Set(fields.map(([code]) => code))];
  return `<section id="${endpoint.id}">
<h3><span class="method">${endpoint.method.toUpperCase()}</span> <code>${escapeHtml(endpoint.path)}</code></h3>
<p class="summary">${inline(endpoint.summary)}${endpoint.needsKey ? '' : ' <small>no key</small>'}</p>
${markdown(endpoint.description)}
${body ? `<h4>Body</h4><p><code>${body.contentType}</code>: ${schemaLink(body.name)}</p>${examplesOf(body.examples)}` : ''}
<h4>Answer ${answer.status}</h4>
<p>${inline(answer.description)}${answer.name === undefined ? '' : `: ${schemaLink(answer.name)}`}</p>
${examplesOf(answer.examples)}
<h4>Errors</h4>
<ul class="codes">${byStatus(endpoint.problems)}</ul>
${codes.length === 0 ? '' : `<p>Codes of single fields: ${codes.map((code) => link(fieldAnchor(code), code)).join(', ')}</p>`}
</section>`;
}

const link = (anchor: string, code: string) => `<a href="#${anchor}"><code>${code}</code></a>`;

const schemaLink = (name: string) => `<a href="#schema-${name}">${name}</a>`;

function byStatus(codes: readonly ProblemCode[]): string {
  return [...Map.groupBy(codes, (code) => problems[code].status)]
    .toSorted(([left], [right]) => left - right)
    .map(
      ([status, listed]) =>
        `<li>${status}: ${listed.map((code) => link(problemAnchor(code), code)).join(', ')}</li>`,
    )
    .join('');
}

function examplesOf(examples: Readonly<Record<string, Example>> = {}): string {
  return Object.values(examples)
    .map(({ summary, value }) => {
      const json = escapeHtml(JSON.stringify(value, null, 2));
      return `<details><summary>${inline(summary)}</summary><pre><code>${json}</code></pre></details>`;
    })
    .join('\n');
}
