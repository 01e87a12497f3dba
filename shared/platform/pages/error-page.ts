import { html, type Html } from './html.ts';
import type { Language, Translations } from './language.ts';

type ErrorText = { title: string; text: string };

const texts = {
  ru: {
    malformed: {
      title: 'Не удалось прочитать запрос',
      text: 'Вернитесь на предыдущую страницу и попробуйте ещё раз.',
    },
    forbidden: { title: 'Нет доступа', text: 'Этот запрос нельзя выполнить отсюда.' },
    missing: {
      title: 'Страница не найдена',
      text: 'Проверьте адрес: возможно, ссылка скопирована не целиком.',
    },
    method: { title: 'Так не получится', text: 'Откройте страницу заново по ссылке.' },
    large: {
      title: 'Слишком большой файл',
      text: 'Вернитесь на предыдущую страницу и выберите файл поменьше.',
    },
    often: { title: 'Слишком много запросов', text: 'Подождите немного и обновите страницу.' },
    failed: {
      title: 'Что-то пошло не так',
      text: 'Обновите страницу через минуту. Если ошибка повторится, сообщите в поддержку номер запроса.',
    },
    busy: { title: 'Сервис временно недоступен', text: 'Подождите немного и обновите страницу.' },
  },
  en: {
    malformed: {
      title: 'The request could not be read',
      text: 'Go back to the previous page and try again.',
    },
    forbidden: { title: 'No access', text: 'You can’t make this request from here.' },
    missing: { title: 'Page not found', text: 'Check the address: the link may be incomplete.' },
    method: { title: 'This does not work', text: 'Open the page again from its link.' },
    large: {
      title: 'The file is too large',
      text: 'Go back to the previous page and choose a smaller file.',
    },
    often: { title: 'Too many requests', text: 'Wait a moment and reload the page.' },
    failed: {
      title: 'Something went wrong',
      text: 'Reload the page in a minute. If it happens again, tell support the request ID.',
    },
    busy: {
      title: 'The service is temporarily unavailable',
      text: 'Wait a moment and reload the page.',
    },
  },
} satisfies Translations<Readonly<Record<string, ErrorText>>>;

const kinds: Readonly<Record<number, keyof (typeof texts)[Language]>> = {
  400: 'malformed',
  403: 'forbidden',
  404: 'missing',
  405: 'method',
  412: 'malformed',
  413: 'large',
  415: 'malformed',
  429: 'often',
  503: 'busy',
};

/** The text of an error page by HTTP status; it reveals no internals. */
export const errorPageText = (language: Language, status: number): ErrorText =>
  texts[language][kinds[status] ?? 'failed'];

const requestLabel: Translations<string> = { ru: 'Номер запроса', en: 'Request ID' };

/** The content of an error page. Support finds the request in the logs by `requestId`. */
export function errorContent(
  language: Language,
  { status, requestId }: { status: number; requestId: string },
): Html {
  const { title, text } = errorPageText(language, status);
  return html`<div class="card">
    <p class="muted small">${status}</p>
    <h1>${title}</h1>
    <p>${text}</p>
    <p class="muted small">${requestLabel[language]}:<br /><code>${requestId}</code></p>
  </div>`;
}
