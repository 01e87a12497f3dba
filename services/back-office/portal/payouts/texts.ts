import type { Words } from '#shared/application/pages/translations.ts';
import type { TonedWords } from '../../frame/names.ts';

export const payoutTexts = {
  title: { ru: 'Выплаты файлом', en: 'Payouts in bulk' },
  about: {
    ru: 'Файл CSV проверяется целиком, выплат ещё не будет. Вы увидите итог и ошибки, и только после подтверждения выплаты будут созданы. Тот же файл второй раз — тот же список выплат.',
    en: 'A CSV file is checked as a whole; nothing is paid yet. You see the total and the errors, and payouts are created only after a confirmation. The same file again is the same batch.',
  },
  columns: { ru: 'Столбцы', en: 'Columns' },
  bounds: {
    ru: 'Не больше 10 000 строк и 5 МиБ, UTF-8.',
    en: 'At most 10,000 rows and 5 MiB, in UTF-8.',
  },
  check: { ru: 'Проверить файл', en: 'Check the file' },
  onlyAdmins: {
    ru: 'Файлы загружают администраторы магазина.',
    en: 'Admins of the shop upload files.',
  },
  notRead: { ru: 'Файл не прочитан', en: 'The file can’t be read' },
  batch: { ru: 'Файл выплат', en: 'File of payouts' },
  uploadedBy: { ru: 'Загрузил', en: 'Uploaded by' },
  uploaded: { ru: 'Загружен', en: 'Uploaded' },
  confirmedBy: { ru: 'Подтвердил', en: 'Confirmed by' },
  newest: { ru: 'Последние файлы', en: 'Newest files' },
  none: {
    ru: 'Файлов ещё нет: первый появится здесь.',
    en: 'No files yet: the first one will appear here.',
  },
  rule: {
    ru: 'В этом магазине файл подтверждает не тот администратор, который его загрузил, а другой. С API-ключом файл можно только загрузить. Включает и выключает это оператор шлюза.',
    en: 'In this shop a file is confirmed by another admin than the one who uploaded it. An API key can only upload. An operator of the gateway switches this rule on and off.',
  },
  waits: {
    ru: 'Файл ждёт подтверждения. В этом магазине его подтверждает второй сотрудник: администратор, который файл не загружал.',
    en: 'The file waits for confirmation. In this shop a second member confirms it: an admin who did not upload it.',
  },
  rows: { ru: 'Строк', en: 'Rows' },
  created: { ru: 'Создано выплат', en: 'Payouts created' },
  failed: { ru: 'Не создано', en: 'Failed' },
  total: { ru: 'Сумма', en: 'Total' },
  errors: { ru: 'Ошибки', en: 'Errors' },
  mend: {
    ru: 'Исправьте строки и загрузите файл ещё раз. Показаны первые 100 ошибок.',
    en: 'Correct the rows and upload the file again. The first 100 errors are shown.',
  },
  row: { ru: 'Строка', en: 'Row' },
  field: { ru: 'Поле', en: 'Field' },
  wrong: { ru: 'Что не так', en: 'What is wrong' },
  confirm: { ru: 'Подтвердить выплаты', en: 'Confirm the payouts' },
  explain: {
    ru: 'По каждой строке будет создана выплата. Отменить это нельзя.',
    en: 'A payout is created for each row. This can’t be undone.',
  },
  confirmed: { ru: 'Выплаты подтверждены.', en: 'The payouts are confirmed.' },
  running: {
    ru: 'Выплаты создаются. Страница обновляется сама.',
    en: 'The payouts are being created. This page refreshes by itself.',
  },
  result: { ru: 'Скачать итог', en: 'Download the result' },
} as const satisfies Record<string, Words>;

/** Why a member has no button to confirm a file. */
export const reasons = {
  viewer: {
    ru: 'Файлы подтверждают администраторы магазина.',
    en: 'Admins of the shop confirm files.',
  },
  no_member: {
    ru: 'Файлы подтверждают администраторы магазина.',
    en: 'Admins of the shop confirm files.',
  },
  uploaded_it: {
    ru: 'Файл загрузили вы, поэтому подтвердить его должен другой администратор.',
    en: 'You uploaded the file, so another admin has to confirm it.',
  },
  issued_access: {
    ru: 'Вы не можете подтвердить файл: за вашим сеансом и загрузкой может стоять один человек, который создал ссылку для входа или API-ключ. Войдите по ссылке от оператора шлюза или попросите другого администратора.',
    en: 'You can’t confirm the file: one person may be behind your session and the upload, by a sign-in link or an API key that they created. Sign in with a link from an operator of the gateway, or ask another admin.',
  },
} as const satisfies Record<string, Words>;

export const statusNames = {
  errors: { tone: 'danger', ru: 'С ошибками', en: 'With errors' },
  checked: { tone: 'warning', ru: 'Ждёт подтверждения', en: 'Waits for confirmation' },
  second: { tone: 'warning', ru: 'Ждёт второго сотрудника', en: 'Waits for a second member' },
  running: { tone: 'info', ru: 'Создаются', en: 'Running' },
  done: { tone: 'success', ru: 'Готово', en: 'Done' },
} as const satisfies Record<string, TonedWords>;
