import type { Language, Translations } from '#shared/platform/pages/language.ts';
import type { Endpoint } from '#shared/api/openapi/endpoint.ts';
import { exampleQuery } from './curl.ts';
import { escapeHtml } from '../markdown/escape.ts';

const texts = {
  ru: {
    title: 'Попробовать',
    key: 'Ключ API',
    body: 'Тело',
    query: 'Параметры',
    file: 'Файл (PDF)',
    send: 'Отправить',
    answer: 'Ответ',
    none: 'Нет ответа: шлюз недоступен.',
    page: 'Открыть страницу оплаты',
  },
  en: {
    title: 'Try it',
    key: 'API key',
    body: 'Body',
    query: 'Parameters',
    file: 'File (PDF)',
    send: 'Send',
    answer: 'Answer',
    none: 'No answer: the gateway can’t be reached.',
    page: 'Open the payment page',
  },
} satisfies Translations<object>;

/**
 * A form that sends a request to this gateway. It needs a script (`try.client.js` shows it), and no
 * field has a name: only the script sends values, and none are stored.
 */
export function tryIt(endpoint: Endpoint, language: Language): string {
  const { id, method, path, body, parameters = [] } = endpoint;
  if (!endpoint.needsKey || path.includes('{') || body?.contentType === 'text/csv') return '';
  const words = texts[language];
  const query =
    exampleQuery(endpoint) || (parameters.some(({ name }) => name === 'limit') ? 'limit=5' : '');
  const field = (name: string, label: string, control: (attributes: string) => string) =>
    `<div class="field"><label for="try-${id}-${name}">${label}</label>${control(`id="try-${id}-${name}" data-field="${name}" autocomplete="off" spellcheck="false"`)}</div>`;
  const input = (type: string) => (attributes: string) => `<input type="${type}" ${attributes}>`;
  const fields = [
    field('key', words.key, input('text')),
    ...(parameters.some((parameter) => parameter.in === 'query')
      ? [
          field(
            'query',
            words.query,
            (attributes) => `<input type="text" value="${escapeHtml(query)}" ${attributes}>`,
          ),
        ]
      : []),
    ...(body?.contentType === 'multipart/form-data'
      ? [
          field('operation_id', '<code>operation_id</code>', input('text')),
          field('receipt', words.file, input('file')),
        ]
      : []),
    ...(body?.contentType === 'application/json'
      ? [field('body', words.body, (attributes) => bodyArea(body, attributes))]
      : []),
  ];
  return `<form class="try card stack" data-try="${method} ${path}" data-none="${words.none}" data-page="${words.page}" hidden>
<h4>${words.title}</h4>
${fields.join('\n')}
<p><button class="button" type="submit">${words.send}</button></p>
<div class="answer" aria-live="polite" data-answer="${words.answer}"></div>
</form>`;
}

function bodyArea({ examples = {} }: NonNullable<Endpoint['body']>, attributes: string): string {
  const json = JSON.stringify(Object.values(examples)[0]?.value, null, 2);
  const rows = json.split('\n').length;
  return `<textarea rows="${rows}" class="code-area" ${attributes}>${escapeHtml(json)}</textarea>`;
}
