import type { Words } from '#shared/application/pages/words.ts';
import { problems, type Problem, type ProblemCode } from '#shared/platform/http/problems.ts';
import { html, notice } from '#shared/platform/pages/index.ts';
import { viewOf, type Portal, type PortalContext } from './env.ts';
import { show, type Content } from './frame.ts';

const texts: Partial<Record<ProblemCode, { title: Words; text: Words }>> = {
  forbidden: {
    title: { ru: 'Ваша роль этого не позволяет', en: 'Your role does not allow this' },
    text: {
      ru: 'Вернитесь назад. Изменения вносят сотрудники с ролью «администратор».',
      en: 'Go back. Members with the role “admin” make changes.',
    },
  },
  not_ready: {
    title: { ru: 'Сервис сейчас не отвечает', en: 'The service is not responding' },
    text: {
      ru: 'Обновите страницу через несколько секунд. Действие, исход которого неизвестен, можно повторить.',
      en: 'Reload in a few seconds. You can safely repeat an action whose outcome is unknown.',
    },
  },
  internal_error: {
    title: { ru: 'Внутренняя ошибка', en: 'Internal error' },
    text: {
      ru: 'Она записана под номером запроса ниже: назовите его поддержке.',
      en: 'It is logged under the request ID below: name it to the support.',
    },
  },
};

const notFound = {
  title: { ru: 'Страница не найдена', en: 'Page not found' },
  text: { ru: 'Проверьте адрес.', en: 'Check the address.' },
} as const satisfies Record<string, Words>;

const other = {
  title: { ru: 'Запрос не выполнен', en: 'Request failed' },
  text: { ru: 'Ответ шлюза:', en: 'The gateway answered:' },
} as const satisfies Record<string, Words>;

/** What went wrong, as a page: the same problems that the APIs answer with. */
export async function showProblem(c: PortalContext, portal: Portal, problem: Problem): Promise<Response> {
  const { t } = viewOf(c);
  const { status } = problems[problem.code];
  const { title, text } = texts[problem.code] ?? (status === 404 ? notFound : other);
  for (const [name, value] of Object.entries(problem.headers)) c.header(name, value);
  if (status === 503) c.header('retry-after', '1');
  const said =
    status === 404
      ? ''
      : notice(
          'danger',
          html`<p lang="en">${problem.detail}</p>
            <p><code>${problem.code}</code> · <code>${c.get('requestId')}</code></p>`,
        );
  return show(c, portal, {
    status: status as NonNullable<Content['status']>,
    title: t(title),
    body: html`<div class="stack measure">
      <h1>${t(title)}</h1>
      <p>${t(text)}</p>
      ${said}
      <p><a href="/operations">${t({ ru: 'К операциям', en: 'To the operations' })}</a></p>
    </div>`,
  });
}
