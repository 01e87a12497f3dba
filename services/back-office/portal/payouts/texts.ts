import type { payoutFileColumns } from '#shared/application/payout-batches/read-file.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { TonedWords } from '../../frame/names.ts';

export const payoutTexts = {
  title: { ru: 'Выплаты файлом', en: 'Payouts in bulk' },
  about: {
    ru: 'Загрузите таблицу, .xlsx или CSV: одна строка — одна выплата. Сразу ничего не выплачивается: сначала вы увидите сумму, комиссию и ошибки, а выплаты начнутся только после подтверждения. Если загрузить те же строки второй раз, хоть в другом формате, дважды они не выплатятся.',
    en: 'Upload a spreadsheet, .xlsx or CSV, with one payout in each row. Nothing is paid yet: first you see the total, the commission and the errors, and payouts begin only after a confirmation. Uploading the same rows twice, even in another format, doesn’t pay twice.',
  },
  bounds: {
    ru: '.xlsx (первый лист, без формул) или CSV, как его сохраняет Excel; не больше 10 000 строк и 5 МиБ.',
    en: '.xlsx (its first sheet, no formulas) or CSV as Excel saves it, at most 10,000 rows and 5 MiB.',
  },
  template: { ru: 'Скачать шаблон', en: 'Download the template' },
  check: { ru: 'Проверить файл', en: 'Check the file' },
  onlyAdmins: {
    ru: 'Файлы загружают администраторы магазина.',
    en: 'Admins of the shop upload files.',
  },
  repeated: {
    ru: 'Эти строки уже загружали: вот их файл. Дважды они не выплатятся.',
    en: 'These rows were uploaded before: here is their file. They are not paid twice.',
  },
  notRead: { ru: 'Файл не прочитан', en: 'The file can’t be read' },
  batch: { ru: 'Файл выплат', en: 'File of payouts' },
  batchId: { ru: 'Номер файла', en: 'File ID' },
  hash: { ru: 'SHA-256 файла', en: 'SHA-256 of the file' },
  uploadedBy: { ru: 'Кто загрузил', en: 'Uploaded by' },
  uploaded: { ru: 'Загружен', en: 'Uploaded' },
  confirmedBy: { ru: 'Кто подтвердил', en: 'Confirmed by' },
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
    ru: 'Файл ждёт второго сотрудника: его подтверждает администратор, который файл не загружал.',
    en: 'The file waits for a second member: an admin who did not upload it confirms it.',
  },
  whomToAsk: { ru: 'К кому обратиться', en: 'Whom to ask' },
  noOtherAdmin: {
    ru: 'Другого администратора в магазине нет: его добавляют в разделе «Сотрудники».',
    en: 'The shop has no other admin: one can be added under “Members”.',
  },
  noneMayConfirm: {
    ru: 'Другие администраторы вошли по ссылкам того, кто загрузил файл: новую ссылку им выдаёт кто-то третий или оператор шлюза.',
    en: 'The other admins signed in with links from the member who uploaded the file: another member, or an operator of the gateway, has to issue them a new one.',
  },
  rows: { ru: 'Строк', en: 'Rows' },
  total: { ru: 'Сумма', en: 'Total' },
  notPaid: { ru: 'не выплачено не меньше {n}', en: 'at least {n} not paid' },
  seePage: {
    ru: 'Сколько выплачено — на странице файла.',
    en: 'The page of a file shows how much is paid.',
  },
  names: {
    ru: 'Названия файлов хранятся зашифрованными, поэтому поиск операций их не находит.',
    en: 'Names of files are stored encrypted, so the search of operations does not find them.',
  },
  notCreated: { ru: 'Не создано', en: 'Not created' },
  errors: { ru: 'Ошибки', en: 'Errors' },
  mend: {
    ru: 'Ничего не будет выплачено, пока в файле есть ошибки. Исправьте строки и загрузите файл ещё раз.',
    en: 'Nothing is paid while the file has errors. Correct the rows, and upload the file again.',
  },
  firstErrors: { ru: 'Показаны первые {n} ошибок.', en: 'The first {n} errors are shown.' },
  row: { ru: 'Строка', en: 'Row' },
  cell: { ru: 'Ячейка', en: 'Cell' },
  field: { ru: 'Столбец', en: 'Column' },
  wrong: { ru: 'Что не так', en: 'What is wrong' },
  seeOperation: { ru: 'Открыть операцию', en: 'Open the operation' },
  uploadAgain: { ru: 'Загрузить исправленный файл', en: 'Upload the corrected file' },
  confirm: { ru: 'Подтвердить выплаты', en: 'Confirm the payouts' },
  explain: {
    ru: 'По каждой строке уйдёт выплата. Отменить подтверждение нельзя.',
    en: 'Each row is paid out. A confirmation can’t be undone.',
  },
  confirmed: { ru: 'Выплаты подтверждены.', en: 'The payouts are confirmed.' },
  already: { ru: 'Файл уже подтверждён.', en: 'The file is confirmed already.' },
  toFile: { ru: 'К файлу выплат', en: 'To the file of payouts' },
  running: {
    ru: 'Выплаты создаются. Страница обновляется сама.',
    en: 'The payouts are being created. This page refreshes by itself.',
  },
  paying: {
    ru: 'Часть выплат ещё в пути. Страница обновляется сама.',
    en: 'Some payouts are still in progress. This page refreshes by itself.',
  },
  result: { ru: 'Скачать итог', en: 'Download the result' },
} as const satisfies Record<string, Words>;

/** What the payouts of a file cost. */
export const moneyTexts = {
  title: { ru: 'Сколько спишется', en: 'What it costs' },
  payouts: { ru: 'Выплаты', en: 'Payouts' },
  notCharged: { ru: 'Из них не спишется', en: 'Of these, not charged' },
  charge: { ru: 'Спишется всего', en: 'Total charge' },
  available: { ru: 'Доступно', en: 'Available' },
  overdraft: {
    ru: 'баланс {balance} и овердрафт {limit}',
    en: 'balance {balance} and overdraft {limit}',
  },
  unlimited: { ru: 'баланс; овердрафт без лимита', en: 'balance; overdraft without a limit' },
  short: {
    ru: 'Доступно на {n} меньше, чем спишется: часть выплат будет отклонена. Пополните баланс до подтверждения.',
    en: 'The total charge is {n} more than is available: some payouts will be declined. Add funds before you confirm.',
  },
  belowZero: {
    ru: 'Если выплатить всё, баланс уйдёт на {n} ниже нуля.',
    en: 'If all is paid, the balance will be {n} below zero.',
  },
  terms: {
    ru: 'Комиссия посчитана по нынешним условиям; окончательная видна в каждой выплате.',
    en: 'The commission is by today’s terms; each payout shows its final one.',
  },
  used: {
    ru: 'Строк, по номеру которых операция уже есть: {n}. Второй раз они не выплатятся, в комиссии и списании их нет.',
    en: 'Rows whose ID an operation has already: {n}. They are not paid again, and are not in the commission and the charge.',
  },
  withoutRoute: {
    ru: 'Строк, для метода и суммы которых нет маршрута: {n}. Они будут отклонены; в комиссии и списании их нет.',
    en: 'Rows without a route for their method and amount: {n}. They will be declined, and are not in the commission and the charge.',
  },
  converted: {
    ru: 'Строк с конвертацией: {n}. Сколько по ним спишется, станет известно при выплате; в комиссии и списании их нет.',
    en: 'Rows that are converted: {n}. What they cost is known once they are paid, and is not in the commission and the charge.',
  },
} as const satisfies Record<string, Words>;

export const rowTexts = {
  title: { ru: 'Строки файла', en: 'Rows of the file' },
  largest: { ru: 'Сначала самые крупные.', en: 'The largest come first.' },
  counted: {
    ru: 'Строки считаются как в таблице: заголовок — строка 1.',
    en: 'Rows are counted as in a spreadsheet: the header is row 1.',
  },
  number: { ru: 'Номер', en: 'Number' },
  recipient: { ru: 'Получатель', en: 'Recipient' },
  erased: { ru: 'Данные стёрты', en: 'Data erased' },
  exists: {
    ru: 'Уже есть, второй раз не выплатится',
    en: 'Exists already, will not be paid again',
  },
  taken: { ru: 'Номер у другой операции', en: 'Another operation has this ID' },
  gone: {
    ru: 'Строки файла больше не хранятся: прошло 30 дней, или стёрты данные клиента. Загрузите файл ещё раз.',
    en: 'The rows of the file are no longer stored: 30 days have passed, or a client’s data was erased. Upload the file again.',
  },
} as const satisfies Record<string, Words>;

/** Whom a shop has paid before. */
export const recipientTexts = {
  first: { ru: 'Новый', en: 'New' },
  other: { ru: 'Другой номер', en: 'Other number' },
  firstRows: {
    ru: 'Строк с получателями, которым магазин ещё не платил: {n}.',
    en: 'Rows for recipients that the shop has never paid: {n}.',
  },
  marks: {
    ru: '«Новый» — по этому client_id выплат ещё не было. «Другой номер» — прошлая выплата по нему ушла на другой номер.',
    en: '“New”: no payout was ever paid under this client_id. “Other number”: the last one went to another number.',
  },
} as const satisfies Record<string, Words>;

/** What became of the payouts of a file. */
export const outcomeTexts = {
  title: { ru: 'Что выплачено', en: 'What was paid' },
  completed: { ru: 'Выплачено', en: 'Paid' },
  partial: { ru: 'Выплачено частично', en: 'Paid in part' },
  open: { ru: 'В пути', en: 'In progress' },
  declined: { ru: 'Отклонено', en: 'Declined' },
  why: { ru: 'Почему не выплачено', en: 'Why not paid' },
  payouts: { ru: 'Выплат', en: 'Payouts' },
  all: { ru: 'Все выплаты файла', en: 'All payouts of the file' },
  again: {
    ru: 'Чтобы выплатить отклонённое, поставьте эти строки в новый файл с новым merchant_operation_id.',
    en: 'To pay what was declined, put these rows into a new file, each with a new merchant_operation_id.',
  },
  inRow: { ru: 'строка', en: 'row' },
  inRows: { ru: 'строки', en: 'rows' },
} as const satisfies Record<string, Words>;

/** Why a row has no payout of its own, by the code of its result. */
export const notCreatedNames: Readonly<Record<string, Words>> = {
  idempotency_body_mismatch: {
    ru: 'этот merchant_operation_id уже у другой операции: сначала проверьте, не выплачено ли по ней',
    en: 'another operation has this merchant_operation_id: check first whether it was paid',
  },
  personal_data_erased: {
    ru: 'данные получателя стёрты',
    en: 'the recipient’s data was erased',
  },
  internal_error: {
    ru: 'внутренняя ошибка: строку можно загрузить ещё раз',
    en: 'internal error: the row may be uploaded again',
  },
};

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
    ru: 'Файл загрузили вы, поэтому подтвердить его должен другой администратор, который вошёл не по вашей ссылке.',
    en: 'You uploaded the file, so another admin has to confirm it, who did not sign in with your link.',
  },
  issued_access: {
    ru: 'Вы не можете подтвердить файл: за вашим сеансом и загрузкой может стоять один человек, который создал ссылку для входа или API-ключ. Войдите по ссылке от оператора шлюза или попросите другого администратора.',
    en: 'You can’t confirm the file: one person may be behind your session and the upload, by a sign-in link or an API key that they created. Sign in with a link from an operator of the gateway, or ask another admin.',
  },
} as const satisfies Record<string, Words>;

/** `done` in the list, which does not read the payouts; the page of a file shows what was paid. */
export const batchStatusNames = {
  errors: { tone: 'danger', ru: 'С ошибками', en: 'With errors' },
  checked: { tone: 'warning', ru: 'Ждёт подтверждения', en: 'Waits for confirmation' },
  second: { tone: 'warning', ru: 'Ждёт второго сотрудника', en: 'Waits for a second member' },
  running: { tone: 'info', ru: 'Создаются выплаты', en: 'Creating payouts' },
  done: { tone: 'info', ru: 'Выплаты созданы', en: 'Payouts created' },
  paying: { tone: 'info', ru: 'Выплаты в пути', en: 'Payouts in progress' },
  paid: { tone: 'success', ru: 'Выплачено всё', en: 'All paid' },
  partly: { tone: 'warning', ru: 'Выплачено не всё', en: 'Not all paid' },
  unpaid: { tone: 'danger', ru: 'Ничего не выплачено', en: 'Nothing paid' },
} as const satisfies Record<string, TonedWords>;

export const guideTexts = {
  columns: { ru: 'Столбцы файла', en: 'Columns of the file' },
  order: {
    ru: 'Первая строка — названия столбцов, в любом порядке. Необязательный столбец можно не добавлять или оставить пустым.',
    en: 'The first row has the names of the columns, in any order. An optional column may be left out or empty.',
  },
  column: { ru: 'Столбец', en: 'Column' },
  required: { ru: 'Обязателен', en: 'Required' },
  byMethod: { ru: 'для метода с банками', en: 'for a method with banks' },
  content: { ru: 'Что в нём', en: 'What it has' },
  methods: { ru: 'Методы и коды банков', en: 'Methods and bank codes' },
  number: { ru: 'Номер', en: 'Number' },
  banks: { ru: 'Коды банков', en: 'Bank codes' },
} as const satisfies Record<string, Words>;

export const columnTexts = {
  merchant_operation_id: {
    ru: 'Ваш номер выплаты, в каждой строке свой. По одному номеру выплата не создаётся дважды.',
    en: 'Your own ID of the payout, another one in each row. No payout is made twice with one ID.',
  },
  client_id: {
    ru: 'Ваш код получателя: клиента или сотрудника. Не номер карты.',
    en: 'Your own ID of the recipient: a client or an employee. Not a card number.',
  },
  method: { ru: 'Метод выплаты из таблицы ниже.', en: 'A method of the table below.' },
  amount: {
    ru: 'Сумма с двумя знаками после точки или запятой: 1500.00',
    en: 'The amount, with two decimals after a point or a comma: 1500.00',
  },
  currency: {
    ru: 'Валюта метода из таблицы ниже.',
    en: 'The currency of the method in the table below.',
  },
  number: {
    ru: 'Номер карты или телефона получателя. Задайте столбцу текстовый формат: иначе таблица испортит длинный номер.',
    en: 'The recipient’s card or phone number. Format the column as text, or the spreadsheet spoils a long number.',
  },
  name: { ru: 'Имя получателя.', en: 'The recipient’s name.' },
  bankname: { ru: 'Код банка получателя.', en: 'The code of the recipient’s bank.' },
} as const satisfies Record<(typeof payoutFileColumns)[number], Words>;
