import {
  isRetryable,
  pathOfCode,
  Problem,
  type ProblemCode,
  problems,
  problemType,
  renderProblem,
} from '#shared/platform/http/problems.ts';
import { badge } from '#shared/platform/pages/components.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import { endpoints } from '#shared/api/openapi/document.ts';
import type { FieldCode } from '#shared/api/openapi/explanations.ts';
import { methodTag } from '../endpoints/endpoint-section.ts';
import { headingHtml, tableHtml, type Heading } from '../markdown/blocks.ts';
import { codeBlock } from '../markdown/code.ts';
import { inline } from '../markdown/inline.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import type { PageBody } from '../page-body.ts';
import { endpointsWith, explain, explainField, fieldCodes, problemCodes } from './codes.ts';

const texts = {
  ru: {
    title: 'Ошибки',
    lead: 'Каждая ошибка — `application/problem+json` (RFC 9457) с постоянным кодом в `code`; `type` ведёт на страницу этого кода. `detail`, он же `message`, говорит словами, что не так; `title` и `detail` — для людей и могут меняться.',
    kicker: 'Коды ошибок',
    fieldKicker: 'Коды отдельных полей',
    status: 'Статус',
    code: 'Код',
    means: 'Что случилось',
    cause: 'Причина',
    action: 'Что делать',
    where: 'Где встречается',
    elsewhere: 'В других службах шлюза: административном API или уведомлениях провайдеров.',
    anywhere: 'На любом пути.',
    example: 'Как это выглядит',
    retry: 'можно повторить',
    noRetry: 'не повторять',
    codes: 'Коды ошибок',
    others: 'Коды других служб',
    othersLead:
      'Их знают административный API и уведомления провайдеров; в API для мерчантов их нет.',
    fields: 'Коды отдельных полей',
    fieldsLead:
      'Стоят в `errors` ответа [invalid_request](/docs/errors/invalid-request), который называет все неверные поля сразу.',
    inErrors: 'Стоит в `errors` ответа [invalid_request](/docs/errors/invalid-request).',
    correct: 'Исправьте поле, на которое показывает `pointer`: тот же запрос снова получит отказ.',
    repeat: 'Когда повторять',
    repeatText:
      'При `retryable: true` тот же запрос может удаться позже, не раньше чем через `Retry-After`. После обрыва, таймаута или 5xx исход создания неизвестен: отправьте **тот же** запрос ещё раз, дважды он не выполнится. Остальные отказы окончательны.',
  },
  en: {
    title: 'Errors',
    lead: 'Every error is `application/problem+json` (RFC 9457) with a stable `code`; `type` links to the page of that code. `detail`, also sent as `message`, says in words what is wrong; `title` and `detail` are for people and may change.',
    kicker: 'Error codes',
    fieldKicker: 'Field codes',
    status: 'Status',
    code: 'Code',
    means: 'What happened',
    cause: 'Cause',
    action: 'What to do',
    where: 'Where it occurs',
    elsewhere: 'In other services of the gateway: the admin API or provider callbacks.',
    anywhere: 'At any path.',
    example: 'What it looks like',
    retry: 'safe to retry',
    noRetry: 'do not retry',
    codes: 'Error codes',
    others: 'Codes of other services',
    othersLead: 'The admin API and provider callbacks use these; the merchant API does not.',
    fields: 'Field codes',
    fieldsLead:
      'They appear in `errors` of an [invalid_request](/docs/errors/invalid-request), which lists every invalid field at once.',
    inErrors: 'Appears in `errors` of an [invalid_request](/docs/errors/invalid-request).',
    correct: 'Correct the field that `pointer` points at; the same request will be refused again.',
    repeat: 'When to retry',
    repeatText:
      'With `retryable: true` the same request may succeed later, no sooner than `Retry-After` says. After a broken connection, a timeout or a 5xx the outcome of a create is unknown: send **the same** request again; it is not done twice. All other refusals are final.',
  },
} satisfies Translations<object>;

/** Every code in two tables. */
export function errorsPage(language: Language): PageBody {
  const words = texts[language];
  const headings: Heading[] = [
    { level: 2, id: 'repeat', text: words.repeat },
    { level: 2, id: 'error-codes', text: words.codes },
    { level: 2, id: 'field-codes', text: words.fields },
    { level: 2, id: 'other-codes', text: words.others },
  ];
  const [repeat, codes, fields, others] = headings.map((each) => headingHtml(each, each.text));
  const renderRow = (code: ProblemCode) => [
    `<span class="change">${codeLink(code)} <small class="muted">${problems[code].status}</small></span>`,
    inline(explain(code, language).title),
  ];
  const sorted = problemCodes.toSorted(
    (left, right) => problems[left].status - problems[right].status,
  );
  const [elsewhere, merchantCodes] = [true, false].map((other) =>
    sorted.filter((code) => isElsewhere(code) === other),
  );
  const renderCodeTable = (listed: readonly ProblemCode[] = []) =>
    tableHtml([words.code, words.means], listed.map(renderRow));
  const fieldRows = fieldCodes.map((code) => [
    codeLink(code),
    inline(explainField(code, language)),
  ]);
  return {
    title: words.title,
    headings,
    html: `<p class="lead">${inline(words.lead)}</p>
${repeat}
<p>${inline(words.repeatText)}</p>
${codes}
${renderCodeTable(merchantCodes)}
${fields}
<p>${inline(words.fieldsLead)}</p>
${tableHtml([words.code, words.cause], fieldRows)}
${others}
<p>${inline(words.othersLead)}</p>
${renderCodeTable(elsewhere)}`,
  };
}

const codeLink = (code: string) => `<a href="${pathOfCode(code)}"><code>${code}</code></a>`;

/** The page that a problem's `type` leads to. */
export function problemPage(code: ProblemCode, language: Language): PageBody {
  const words = texts[language];
  const { status } = problems[code];
  const { title, meaning, action } = explain(code, language);
  const retryable = isRetryable(code);
  const example = JSON.stringify(exampleProblem(code), null, 2);
  return {
    title: code,
    kicker: words.kicker,
    headings: [],
    html: `<p class="row">${renderToText(badge(status < 500 ? 'warning' : 'danger', `${words.status} ${status}`))} ${renderToText(badge(retryable ? 'success' : 'neutral', retryable ? words.retry : words.noRetry, retryable ? 'circleCheck' : 'slash'))}</p>
<p class="lead">${inline(title)}</p>
<h2>${words.cause}</h2><p>${inline(meaning)}</p>
<h2>${words.action}</h2><p>${inline(action)}</p>
<h2>${words.where}</h2>${renderWhere(code, language)}
<h2>${words.example}</h2>${codeBlock({ language: 'json', label: `${status} application/problem+json`, code: example }, language)}`,
  };
}

/** The page of a code of a single field. */
export function fieldPage(code: FieldCode, language: Language): PageBody {
  const words = texts[language];
  const example = JSON.stringify(exampleFieldError(code), null, 2);
  return {
    title: code,
    kicker: words.fieldKicker,
    headings: [],
    html: `<p>${inline(words.inErrors)}</p>
<h2>${words.cause}</h2><p>${inline(explainField(code, language))}</p>
<h2>${words.action}</h2><p>${inline(words.correct)}</p>
<h2>${words.where}</h2>${renderWhere(code, language)}
<h2>${words.example}</h2>${codeBlock({ language: 'json', label: 'errors', code: example }, language)}`,
  };
}

const anywhere: readonly string[] = ['route_not_found', 'method_not_allowed'];

/** Whether no request of a merchant can cause it. */
const isElsewhere = (code: ProblemCode): boolean =>
  !anywhere.includes(code) && endpointsWith(code, endpoints).length === 0;

function renderWhere(code: ProblemCode | FieldCode, language: Language): string {
  const words = texts[language];
  if (anywhere.includes(code)) return `<p>${words.anywhere}</p>`;
  const matches = endpointsWith(code, endpoints);
  if (matches.length === 0) return `<p>${words.elsewhere}</p>`;
  const items = matches.map(
    ({ id, method, path }) =>
      `<li><a href="/docs/reference#${id}">${methodTag(method)} <code>${path}</code></a></li>`,
  );
  return `<ul class="plain">${items.join('')}</ul>`;
}

/** The very body that the gateway sends. */
function exampleProblem(code: ProblemCode): unknown {
  const [endpoint] = endpointsWith(code, endpoints);
  const problem = new Problem(code, {
    ...(code === 'invalid_request' && { errors: [exampleFieldError('amount_invalid')] }),
    ...(problems[code].status === 422 && {
      members: { operation_id: '0f8fad5b-d9cb-869f-a165-70867728950e' },
    }),
  });
  const request = {
    path: endpoint?.path ?? '/v1/payments',
    requestId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  };
  return { ...JSON.parse(renderProblem(problem, request).body), type: problemType(code) };
}

function exampleFieldError(code: FieldCode) {
  const [, pointer = ''] =
    endpoints.flatMap(({ fields = [] }) => fields).find(([field]) => field === code) ?? [];
  return { pointer, code, detail: explainField(code, 'en').replaceAll('`', '') };
}
