import type { ProblemCode } from '#shared/platform/http/problems.ts';
import type { Words } from '#shared/application/pages/translations.ts';

const notReady: Words = {
  ru: 'Сервис сейчас не отвечает. Повторите через несколько секунд: повторить можно и то, исход чего неизвестен.',
  en: 'The service is not responding. Retry in a few seconds: an action whose outcome is unknown can be repeated.',
};
const failed: Words = {
  ru: 'Внутренняя ошибка. Действие можно повторить один раз.',
  en: 'Internal error. You can safely repeat the action once.',
};
const gone: Words = {
  ru: 'Этого нет: проверьте адрес страницы.',
  en: 'Not found: check the address of the page.',
};
const noForm: Words = {
  ru: 'Форма пришла в незнакомом виде. Откройте страницу заново.',
  en: 'The form arrived in an unknown format. Open the page again.',
};

/** The meaning of a refusal for people; the API's texts are for developers. */
const refusals: Partial<Record<ProblemCode, Words>> = {
  invalid_request: {
    ru: 'Запрос не удалось прочитать: он неполный, повреждён или шёл слишком долго. Отправьте его ещё раз.',
    en: 'The request could not be read: it is incomplete, damaged, or took too long. Send it again.',
  },
  body_too_large: {
    ru: 'Файл или форма слишком большие.',
    en: 'The file or the form is too large.',
  },
  content_type_unsupported: noForm,
  method_not_allowed: noForm,
  rate_limited: {
    ru: 'Слишком много запросов. Подождите немного и повторите.',
    en: 'Too many requests. Wait a moment and try again.',
  },
  forbidden: {
    ru: 'Ваша роль этого не позволяет.',
    en: 'Your role does not allow this.',
  },
  operation_not_found: gone,
  route_not_found: gone,
  not_found: gone,
  too_many_keys: {
    ru: 'У магазина уже наибольшее число ключей API: отзовите ненужные.',
    en: 'The shop has the maximum number of API keys: revoke those it does not need.',
  },
  too_many_endpoints: {
    ru: 'У магазина уже наибольшее число адресов для вебхуков: удалите ненужные.',
    en: 'The shop has the maximum number of webhook endpoints: delete those it does not need.',
  },
  too_many_members: {
    ru: 'У магазина уже наибольшее число сотрудников: удалите тех, кто больше не работает.',
    en: 'The shop has the maximum number of members: remove those who have left.',
  },
  too_many_links: {
    ru: 'За сутки сотруднику создано наибольшее число ссылок для входа: повторите завтра.',
    en: 'The member has reached the maximum number of sign-in links in a day: try again tomorrow.',
  },
  client_operations_open: {
    ru: 'У клиента есть незавершённая операция.',
    en: 'The client has an open operation.',
  },
  account_not_off: { ru: 'Аккаунт не выключен.', en: 'The account is not switched off.' },
  adjustment_conflict: {
    ru: 'С этим номером уже проведена другая корректировка.',
    en: 'Another adjustment was posted with this id.',
  },
  routes_changed: {
    ru: 'Маршруты тем временем изменились: откройте форму заново.',
    en: 'The routes have changed in the meantime: open the form again.',
  },
  finding_changed: {
    ru: 'Расхождение тем временем изменилось: откройте его заново.',
    en: 'The finding has changed in the meantime: open it again.',
  },
  confirmation_not_expected: {
    ru: 'Подтверждать здесь нечего.',
    en: 'There is nothing to confirm here.',
  },
  second_member_required: {
    ru: 'Файл подтверждает другой сотрудник, не тот, кто его загрузил.',
    en: 'The file is confirmed by another member than the one who uploaded it.',
  },
  review_not_allowed: {
    ru: 'Операция не ждёт решения по чеку.',
    en: 'The operation is not under review.',
  },
  close_not_allowed: {
    ru: 'Эту операцию нельзя закрыть вручную.',
    en: 'The operation can not be closed manually.',
  },
  internal_error: failed,
  accounting_inconsistent: {
    ru: 'Учёт магазина не сходится: обратитесь к оператору шлюза.',
    en: 'The accounting position is inconsistent: contact the operator of the gateway.',
  },
  accounting_unavailable: notReady,
  receipt_evidence_unavailable: notReady,
  cancel_undecided: notReady,
  not_ready: notReady,
};

const other: Words = { ru: 'Запрос не выполнен.', en: 'The request was refused.' };

export const refusalWords = (code: ProblemCode): Words => refusals[code] ?? other;
