import type { AuditOutcome } from '#shared/domain/audit/events.ts';
import type { Translations } from '#shared/platform/pages/index.ts';

type Words = Translations<string>;

export const reportTexts = {
  title: { en: 'Audit report', ru: 'Отчёт аудита' },
  figures: { en: 'What was audited', ru: 'Что проверено' },
  asOf: { en: 'As of', ru: 'По состоянию на' },
  upTo: { en: 'Log read up to position', ru: 'Журнал прочитан до позиции' },
  newest: { en: 'Newest event', ru: 'Последнее событие' },
  log: { en: 'Log', ru: 'Журнал' },
  first: { en: 'Its first event', ru: 'Его первое событие' },
  shop: { en: 'Ledgers of one shop', ru: 'Учёт одного магазина' },
  journal: { en: 'Hash of the journal', ru: 'Хеш журнала' },
  events: { en: 'Events', ru: 'События' },
  operations: { en: 'Operations', ru: 'Операции' },
  entries: { en: 'Ledger entries', ru: 'Записи книг' },
  ledgers: { en: 'Ledgers', ru: 'Книги' },
  rows: { en: 'Rows compared', ru: 'Сверено строк' },
  callbacks: {
    en: 'Callbacks of providers',
    ru: 'Уведомления провайдеров',
  },
  verifiedOf: { en: '{verified} of {stored} verified', ru: 'проверено {verified} из {stored}' },
  notVerified: { en: 'failed', ru: 'не сошлось' },
  openOperations: { en: 'Open operations', ru: 'Открытые операции' },
  money: { en: 'Money by currency', ru: 'Деньги по валютам' },
  currency: { en: 'Currency', ru: 'Валюта' },
  inFlight: {
    en: 'Entries and webhooks that are due in the next moments',
    ru: 'Записи и вебхуки, которые появятся в ближайшие секунды',
  },
  ran: { en: 'The audit ran', ru: 'Аудит шёл' },
  from: { en: 'from', ru: 'с' },
  seconds: { en: 's', ru: 'с' },
  rules: { en: 'Rules', ru: 'Правила' },
  rule: { en: 'Rule', ru: 'Правило' },
  checked: { en: 'Checked', ru: 'Проверено' },
  what: { en: 'What', ru: 'Чего' },
  result: { en: 'Result', ru: 'Итог' },
  holds: { en: 'holds', ru: 'соблюдено' },
  violated: { en: 'violated', ru: 'нарушено' },
  nothing: { en: 'not applicable', ru: 'неприменимо' },
  notJudged: { en: 'not applicable: not asked for', ru: 'неприменимо: не запрошено' },
  findings: { en: 'Findings', ru: 'Находки' },
  noFindings: { en: 'None.', ru: 'Нет.' },
  inEnglish: {
    en: 'A finding names its event, but does not show the event’s data.',
    ru: 'Находка называет событие, но не показывает его данных. Тексты находок и заметок — на английском.',
  },
  more: {
    en: 'Only the first findings of each rule are listed; all are counted. Not listed here:',
    ru: 'По каждому правилу показаны только первые находки, посчитаны все. Здесь нет:',
  },
  stream: { en: 'Stream, revision', ru: 'Поток, ревизия' },
  event: { en: 'Event', ru: 'Событие' },
  position: { en: 'Position', ru: 'Позиция' },
  checkpoints: { en: 'Checkpoints', ru: 'Контрольные точки' },
  noCheckpoints: {
    en: 'None was given, so it is not known whether earlier events were changed.',
    ru: 'Не указаны, поэтому неизвестно, менялись ли прежние события.',
  },
  held: {
    en: 'The log up to this checkpoint is unchanged, byte by byte:',
    ru: 'Журнал до этой контрольной точки не изменился ни на байт:',
  },
  notHeld: { en: 'It was changed:', ru: 'Журнал изменён:' },
  written: { en: 'Written by this audit:', ru: 'Создана этим аудитом:' },
  history: { en: 'History', ru: 'История' },
  older: { en: 'older ones are not listed', ru: 'более старых не показано' },
  file: { en: 'File', ru: 'Файл' },
  made: { en: 'Made', ru: 'Создана' },
  signedWith: { en: 'Key', ru: 'Ключ' },
  signature: { en: 'Signature', ru: 'Подпись' },
  valid: { en: 'valid', ru: 'верна' },
  notChecked: { en: 'What was not checked', ru: 'Что не проверялось' },
  allChecked: {
    en: 'Every rule had something to check.',
    ru: 'Каждому правилу было что проверять.',
  },
  saidNothing: {
    en: 'These rules had nothing to check, so they neither hold nor fail:',
    ru: 'Этим правилам было нечего проверять: они не соблюдены и не нарушены:',
  },
  notes: { en: 'Notes', ru: 'Заметки' },
  failed: { en: 'The audit failed', ru: 'Аудит не удался' },
  saysNothing: {
    en: 'Nothing was checked, so this report says nothing about the ledgers.',
    ru: 'Ничего не проверено, поэтому отчёт ничего не говорит об учёте.',
  },
} as const satisfies Record<string, Words>;

export const outcomeWords: Readonly<Record<AuditOutcome, Words>> = {
  holds: {
    en: 'Every rule with something to check holds',
    ru: 'Все правила, которым было что проверять, соблюдены',
  },
  violated: { en: 'Rules are violated', ru: 'Правила нарушены' },
  incomplete: {
    en: 'The audit is not complete: it does not confirm the ledgers',
    ru: 'Аудит неполон: он не подтверждает учёт',
  },
  nothing: {
    en: 'There was nothing to check: the audit does not confirm the ledgers',
    ru: 'Проверять было нечего: аудит не подтверждает учёт',
  },
};
