import type { Endpoint } from '../openapi/endpoint.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { endpointSection } from './endpoint-section.ts';
import { errorsSection } from './errors-section.ts';
import { anchorOf, escapeHtml, inline, markdown } from './markdown.ts';
import { schemaTable } from './schema-table.ts';

/** The reference as a page that needs no script and nothing from elsewhere (contract §3.15). */
export function referencePage(document: OpenApiDocument, endpoints: readonly Endpoint[]): string {
  const { info, tags, components, webhooks } = document;
  const groups = tags.map(({ name }) => ({ name, listed: endpoints.filter(({ tag }) => tag === name) }));
  const webhook = webhooks.operation.post;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav aria-label="Contents">
${navigation(document, groups)}
</nav>
<main>
<h1>${escapeHtml(info.title)}</h1>
<p>For programs: <a href="/openapi.json">the same as an OpenAPI 3.1 document</a>.</p>
${markdown(info.description)}
<section id="webhook-body">
<h3>${inline(webhook.summary)}</h3>
${markdown(webhook.description)}
<ul>${webhook.parameters.map(({ name, description }) => `<li><code>${name}</code>: ${inline(description)}</li>`).join('')}</ul>
<p>Body: <a href="#schema-Webhook">Webhook</a></p>
</section>
${groups.map(({ name, listed }) => `<h2 id="${anchorOf(name)}">${name}</h2>${listed.map(endpointSection).join('\n')}`).join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas)
  .map(([name, schema]) => `<section id="schema-${name}"><h3>${name}</h3>${schemaTable(schema)}</section>`)
  .join('\n')}
${errorsSection()}
</main>
</body>
</html>
`;
}

function navigation(
  { info, components }: OpenApiDocument,
  groups: readonly { name: string; listed: readonly Endpoint[] }[],
): string {
  const headings = [...info.description.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  const link = (anchor: string, text: string) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`;
  return `<ul>${headings.map((heading) => link(anchorOf(heading), heading)).join('')}</ul>
${groups
  .map(
    ({ name, listed }) =>
      `<p>${name}</p><ul>${listed.map((endpoint) => link(endpoint.id, `${endpoint.method.toUpperCase()} ${endpoint.path}`)).join('')}</ul>`,
  )
  .join('\n')}
<p>Schemas</p><ul>${Object.keys(components.schemas)
    .map((name) => link(`schema-${name}`, name))
    .join('')}</ul>
<p>Errors</p><ul>${link('error-codes', 'Error codes')}${link('field-codes', 'Codes of single fields')}</ul>`;
}
