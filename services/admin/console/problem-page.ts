import { Problem, problems, type ProblemCode } from '#shared/platform/http/problems.ts';
import { html, notice } from '#shared/platform/pages/index.ts';
import { viewOf, type Console, type ConsoleContext } from './env.ts';
import { show } from './frame.ts';
import type { Words } from './words.ts';

const texts: Partial<Record<ProblemCode, { title: Words; text: Words }>> = {
  forbidden: {
    title: { ru: 'Ваша роль этого не позволяет', en: 'Your role does not allow this' },
    text: {
      ru: 'Вернитесь назад. Если доступ вам нужен, попросите администратора выпустить токен с другой ролью.',
      en: 'Go back. If you need access, ask an admin for a token with another role.',
    },
  },
  not_ready: {
    title: {
      ru: 'База данных или журнал событий не отвечает',
      en: 'The database or the event log is not responding',
    },
    text: {
      ru: 'Обновите страницу через несколько секунд. Действие, исход которого неизвестен, можно повторить.',
      en: 'Reload in a few seconds. You can safely repeat an action whose outcome is unknown.',
    },
  },
  internal_error: {
    title: { ru: 'Внутренняя ошибка', en: 'Internal error' },
    text: {
      ru: 'Она записана в журнал сервиса под номером запроса ниже.',
      en: 'It is in the log of the service, under the request ID below.',
    },
  },
};

const notFound = {
  title: { ru: 'Страница не найдена', en: 'Page not found' },
  text: {
    ru: 'Проверьте адрес или найдите операцию по любому её идентификатору.',
    en: 'Check the address, or search for the operation by any of its identifiers.',
  },
} as const satisfies Record<string, Words>;

const other = {
  title: { ru: 'Запрос не выполнен', en: 'Request failed' },
  text: { ru: 'Ответ шлюза:', en: 'The gateway answered:' },
} as const satisfies Record<string, Words>;

/** What went wrong, as a page: the same problems that the API answers with. */
export async function showProblem(c: ConsoleContext, console: Console, problem: Problem): Promise<Response> {
  const { t } = viewOf(c);
  const { status } = problems[problem.code];
  const { title, text } = texts[problem.code] ?? (status === 404 ? notFound : other);
  const back = html`<p>
    <a href="/">${t({ ru: 'К обзору', en: 'To the overview' })}</a> ·
    <a href="/operations">${t({ ru: 'К операциям', en: 'To the operations' })}</a>
  </p>`;
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  if (status === 503) c.header('retry-after', '1');
  return show(c, console, {
    status: status as 404,
    title: t(title),
    body: html`<div class="stack measure">
      <h1>${t(title)}</h1>
      <p>${t(text)}</p>
      ${
        status === 404
          ? ''
          : notice(
              'danger',
              html`<p lang="en">${problem.detail}</p>
                <p><code>${problem.code}</code> · <code>${c.get('requestId')}</code></p>`,
            )
      }
      ${back}
    </div>`,
  });
}
