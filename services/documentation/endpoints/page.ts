import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { createDocument, endpoints } from '#shared/api/openapi/document.ts';
import { headingHtml, markdown, type Heading } from '../markdown/blocks.ts';
import { inline } from '../markdown/inline.ts';
import type { PageBody } from '../page-body.ts';
import type { StackUrls } from '../stack-urls.ts';
import { endpointSection } from './endpoint-section.ts';
import { endpointName } from './names.ts';
import { schemaTable } from './schema-table.ts';

const texts = {
  ru: {
    title: 'Справочник',
    lead: 'Все методы, поля и коды. Описания — на английском: они из [документа OpenAPI 3.1](/openapi.json), сделанного из схем, по которым шлюз проверяет запросы.',
    schemas: 'Схемы',
    field: 'Поле',
    type: 'Тип',
    meaning: 'Значение',
    required: 'обязательное',
    headings: {
      Authentication: 'Аутентификация',
      Idempotency: 'Идемпотентность',
      Money: 'Деньги',
      Errors: 'Ошибки',
      Versions: 'Версии',
      'Rate limits': 'Ограничение частоты',
      Webhooks: 'Вебхуки',
      Payments: 'Платежи',
      Payouts: 'Выплаты',
      Operations: 'Операции',
      Account: 'Счёт',
      'Webhook endpoints': 'Адреса для вебхуков',
      Service: 'Служебное',
    },
  },
  en: {
    title: 'Reference',
    lead: 'Every endpoint, field and code, from the [OpenAPI 3.1 document](/openapi.json) that is made from the schemas which validate the requests.',
    schemas: 'Schemas',
    field: 'Field',
    type: 'Type',
    meaning: 'Meaning',
    required: 'required',
    headings: {},
  },
} satisfies Translations<{ headings: Readonly<Record<string, string>>; [text: string]: unknown }>;

/**
 * The reference: the OpenAPI document for people (R2.11). Its prose is English in either language.
 */
export function referencePage(language: Language, { canTry }: Pick<StackUrls, 'canTry'>): PageBody {
  const document = createDocument();
  const { info, tags, components, webhooks } = document;
  const words = texts[language];
  const named = (heading: string) =>
    (words.headings as Readonly<Record<string, string>>)[heading] ?? heading;
  const overview = markdown(
    info.description.replace(
      /^## (.+)$/gm,
      (_, heading: string) => `## ${named(heading)} {#${slug(heading)}}`,
    ),
    { language },
  );
  const sections: string[] = [overview.html];
  const headings: Heading[] = [...overview.headings];
  const add = (heading: Heading, html: string) => {
    headings.push(heading);
    sections.push(html);
  };
  const { operation, endpoint: ofEndpoint } = webhooks;
  for (const [id, { post: webhook }, schema] of [
    ['webhook-body', operation, 'Webhook'],
    ['endpoint-disabled', ofEndpoint, 'EndpointDisabled'],
  ] as const)
    sections.push(
      `<section>${headingHtml({ level: 3, id }, inline(webhook.summary))}${markdown(webhook.description, { language }).html}<ul>${webhook.parameters.map(({ name, description }) => `<li><code>${name}</code>: ${inline(description)}</li>`).join('')}</ul><p><a href="#schema-${schema}">${schema}</a></p></section>`,
    );
  for (const { name } of tags) {
    const heading = { level: 2, id: slug(name), text: named(name) } as const;
    add(heading, headingHtml(heading, inline(heading.text)));
    for (const endpoint of endpoints.filter(({ tag }) => tag === name)) {
      const text = endpointName(endpoint, language);
      add({ level: 3, id: endpoint.id, text }, endpointSection(endpoint, language, { canTry }));
    }
  }
  const schemas = { level: 2, id: 'schemas', text: words.schemas } as const;
  add(schemas, headingHtml(schemas, words.schemas));
  for (const [name, schema] of Object.entries(components.schemas)) {
    const heading = { level: 3, id: `schema-${name}`, text: name } as const;
    add(heading, `<section>${headingHtml(heading, name)}${schemaTable(schema, words)}</section>`);
  }
  return {
    title: words.title,
    html: `<p class="lead" lang="${language}">${inline(words.lead)}</p>\n${translatedIn(language, sections.join('\n'))}`,
    headings,
    ...(language !== 'en' && { contentLanguage: 'en' as const }),
  };
}

/** The translated headings and buttons of a page whose prose is English. */
const translatedIn = (language: Language, html: string) =>
  language === 'en'
    ? html
    : html.replace(/<(h2|h3|h4|thead|button|fieldset|label)\b/g, `<$1 lang="${language}"`);

const slug = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');
