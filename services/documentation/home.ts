import { badge } from '#shared/platform/pages/components.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { endpoints } from '#shared/api/openapi/document.ts';
import { endpointName } from './endpoints/names.ts';
import { methodTag } from './endpoints/endpoint-section.ts';
import { headingHtml, tableHtml, type Heading } from './markdown/blocks.ts';
import { inline } from './markdown/inline.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import type { PageBody } from './page-body.ts';
import { docPath, sectionNames, docsSections, type DocsSection } from './sections.ts';

const texts = {
  ru: {
    title: 'API для мерчантов',
    lead: 'Принимайте платежи и отправляйте выплаты. Один запрос создаёт операцию, один подписанный вебхук сообщает о её завершении, и ничего не выполнится дважды, сколько бы раз вы ни повторили запрос.',
    start: 'Первый платёж за десять минут',
    openapi: 'Документ OpenAPI',
    pages: 'Разделы',
    endpoints: 'Методы',
    method: 'Метод',
    purpose: 'Назначение',
    rules: 'Что важно знать',
    noKey: 'без ключа',
    cards: {
      guide: 'От ключа до первого платежа: curl, TypeScript и Python.',
      reference: 'Каждый метод, поле и пример ответа.',
      statuses: 'Схема платежа и выплаты, и что за чем следует.',
      webhooks: 'Подпись на четырёх языках, порядок, повторы.',
      errors: 'Каждый код на своей странице: причина и что делать.',
      sandbox: 'Сценарии: частями, чек, отказ, поздние деньги.',
    },
    facts: [
      'Каждому запросу ниже `/v1` нужен заголовок `X-API-Key`. Магазин определяет только ключ.',
      'Суммы — десятичные строки с двумя знаками: `"100.00"`. Не читайте их как числа с плавающей точкой.',
      '`merchant_operation_id` — бессрочный ключ идемпотентности: тот же запрос не выполнится дважды.',
      'Таймаут — неизвестный исход, а не отказ: отправьте тот же запрос ещё раз.',
      'Неизвестные поля в запросе отклоняются; незнакомые поля в ответе пропускайте.',
    ],
  },
  en: {
    title: 'Merchant API',
    lead: 'Take payments and send payouts. One request creates an operation, one signed webhook reports its result, and nothing is done twice, however often you repeat a request.',
    start: 'First payment in ten minutes',
    openapi: 'OpenAPI document',
    pages: 'Contents',
    endpoints: 'Endpoints',
    method: 'Endpoint',
    purpose: 'Purpose',
    rules: 'Before you start',
    noKey: 'no key',
    cards: {
      guide: 'From a key to the first payment: curl, TypeScript and Python.',
      reference: 'Every endpoint, field and example of an answer.',
      statuses: 'A payment and a payout drawn, and what follows what.',
      webhooks: 'The signature in four languages, order, retries.',
      errors: 'Each code on a page of its own: cause, and what to do.',
      sandbox: 'Scenarios: in parts, receipts, refusals, late money.',
    },
    facts: [
      'Every request below `/v1` needs the header `X-API-Key`. The key alone says which shop it is.',
      'Amounts are decimal strings with two places: `"100.00"`. Never read them as binary floating point.',
      '`merchant_operation_id` is the key of idempotency, for good: the same request is not done twice.',
      'A timeout is an unknown outcome, not a failure: send the same request again.',
      'Unknown fields of a request are refused; in answers, pass over fields that you do not know.',
    ],
  },
} satisfies Translations<{
  cards: Readonly<Record<Exclude<DocsSection, ''>, string>>;
  facts: readonly string[];
  [text: string]: unknown;
}>;

/** Where everybody begins. */
export function homePage(language: Language): PageBody {
  const words = texts[language];
  const headings: Heading[] = [
    { level: 2, id: 'pages', text: words.pages },
    { level: 2, id: 'rules', text: words.rules },
    { level: 2, id: 'endpoints', text: words.endpoints },
  ];
  const [pages, rules, listed] = headings.map((each) => headingHtml(each, each.text));
  const cards = sectionNames.map((name) =>
    name === ''
      ? ''
      : `<li class="card"><a href="${docPath(name)}">${docsSections[name][language]}</a><p class="muted">${inline(words.cards[name])}</p></li>`,
  );
  const rows = endpoints.map((endpoint) => [
    `<a href="/docs/reference#${endpoint.id}">${inline(endpointName(endpoint, language))}</a>${endpoint.needsKey ? '' : ` ${renderToText(badge('neutral', words.noKey))}`}`,
    `<span class="nowrap">${methodTag(endpoint.method)} <code>${endpoint.path}</code></span>`,
  ]);
  return {
    title: words.title,
    headings,
    html: `<p class="lead">${inline(words.lead)}</p>
<p class="row"><a class="button primary" href="/docs/guide">${words.start}</a><a class="button" href="/openapi.json">${words.openapi}</a></p>
${pages}
<ul class="cards plain">${cards.join('')}</ul>
${rules}
<ul>${words.facts.map((fact) => `<li>${inline(fact)}</li>`).join('')}</ul>
${listed}
${tableHtml([words.purpose, words.method], rows)}`,
  };
}
