import type { ProblemTexts } from '../frame/problem-page.ts';

/** What problems mean to members. */
export const portalProblemTexts: ProblemTexts = {
  forbidden: {
    title: { ru: 'Ваша роль этого не позволяет', en: 'Your role does not allow this' },
    text: {
      ru: 'Вернитесь назад. Изменения вносят сотрудники с ролью «администратор».',
      en: 'Go back. Members with the role “admin” make changes.',
    },
  },
  second_member_required: {
    title: { ru: 'Нужен второй сотрудник', en: 'A second member is needed' },
    text: {
      ru: 'Файл выплат подтверждает не тот, кто его загрузил. На странице файла сказано, почему вы не можете и кто может.',
      en: 'A file of payouts is not confirmed by the one who uploaded it. The page of the file shows why you can’t, and who can.',
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
      ru: 'Действие можно повторить один раз. Если ошибка остаётся, назовите поддержке номер запроса ниже.',
      en: 'You can safely repeat the action once. If the error persists, give support the request ID below.',
    },
  },
  confirmation_not_expected: {
    title: { ru: 'В файле есть ошибки', en: 'The file has errors' },
    text: {
      ru: 'Исправьте строки и загрузите файл ещё раз.',
      en: 'Correct the rows, and upload the file again.',
    },
  },
  notFound: {
    title: { ru: 'Страница не найдена', en: 'Page not found' },
    text: { ru: 'Проверьте адрес.', en: 'Check the address.' },
  },
};
