import type { ProblemTexts } from '../frame/problem-page.ts';

/** What problems mean to operators. */
export const consoleProblemTexts: ProblemTexts = {
  forbidden: {
    title: { ru: 'Ваша роль этого не позволяет', en: 'Your role does not allow this' },
    text: {
      ru: 'Вернитесь назад. Если доступ вам нужен, попросите администратора выпустить токен с другой ролью.',
      en: 'Go back. If you need access, an admin can issue a token with another role.',
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
      ru: 'Действие можно повторить один раз. Ошибка записана в журнал сервиса под номером запроса ниже.',
      en: 'You can safely repeat the action once. Details are in the service’s log, under the request ID below.',
    },
  },
  notFound: {
    title: { ru: 'Страница не найдена', en: 'Page not found' },
    text: {
      ru: 'Проверьте адрес или найдите операцию по любому её идентификатору.',
      en: 'Check the address, or search for the operation by any of its identifiers.',
    },
  },
};
