import type { Outcome } from '#shared/domain/audit/events.ts';
import type { Translated } from '#shared/platform/pages/index.ts';

type Words = Translated<string>;

export const texts = {
  title: { en: 'Audit report', ru: 'Отчёт аудита' },
  figures: { en: 'What was audited', ru: 'Что проверено' },
  asOf: { en: 'As of', ru: 'По состоянию на' },
  upTo: { en: 'Log read up to position', ru: 'Журнал прочитан до позиции' },
  newest: { en: 'Newest event', ru: 'Последнее событие' },
  log: { en: 'Log', ru: 'Журнал' },
  first: { en: 'Its first event', ru: 'Его первое событие' },
  shop: { en: 'Books of one shop', ru: 'Учёт одного магазина' },
  journal: { en: 'Hash of the journal', ru: 'Хеш журнала' },
  events: { en: 'Events', ru: 'События' },
  operations: { en: 'Operations', ru: 'Операции' },
  entries: { en: 'Entries of the ledgers', ru: 'Записи книг' },
  ledgers: { en: 'Ledgers', ru: 'Книги' },
  rows: { en: 'Rows compared', ru: 'Сверено строк' },
  callbacks: {
    en: 'Callbacks of providers: kept, verified, failed',
    ru: 'Уведомления провайдеров: хранится, подлинных, не сошлось',
  },
  inFlight: { en: 'Still on their way', ru: 'Ещё в пути' },
  ran: { en: 'The audit ran', ru: 'Аудит шёл' },
  from: { en: 'from', ru: 'с' },
  seconds: { en: 's', ru: 'с' },
  rules: { en: 'Rules', ru: 'Правила' },
  rule: { en: 'Rule', ru: 'Правило' },
  lookedAt: { en: 'Looked at', ru: 'Просмотрено' },
  what: { en: 'What', ru: 'Чего' },
  result: { en: 'Result', ru: 'Итог' },
  holds: { en: 'holds', ru: 'соблюдено' },
  violated: { en: 'violated', ru: 'нарушено' },
  nothing: { en: 'nothing to look at', ru: 'смотреть не на что' },
  notJudged: { en: 'not looked at', ru: 'не проверялось' },
  findings: { en: 'Findings', ru: 'Находки' },
  noFindings: { en: 'None.', ru: 'Нет.' },
  inEnglish: {
    en: 'A finding names the event that it is about, not what the event holds.',
    ru: 'Находка называет событие, о котором она, а не его содержание. Тексты находок и заметок — на английском.',
  },
  more: {
    en: 'Of each rule the first are told; all are counted. Not listed here:',
    ru: 'По каждому правилу показаны первые, посчитаны все. Здесь нет:',
  },
  stream: { en: 'Stream, revision', ru: 'Поток, ревизия' },
  event: { en: 'Event', ru: 'Событие' },
  position: { en: 'Position', ru: 'Позиция' },
  checkpoints: { en: 'Checkpoints', ru: 'Контрольные точки' },
  noCheckpoints: {
    en: 'None was given: whether anything before was rewritten is not known.',
    ru: 'Ни одной не дано: переписано ли что-то раньше, неизвестно.',
  },
  held: {
    en: 'The log up to this checkpoint is, byte by byte, what it was then:',
    ru: 'Журнал до этой контрольной точки — байт в байт тот же, что был тогда:',
  },
  notHeld: { en: 'It does not hold:', ru: 'Не подтверждается:' },
  written: { en: 'Written by this audit:', ru: 'Создана этим аудитом:' },
  history: { en: 'History', ru: 'История' },
  older: { en: 'older ones are not listed', ru: 'более старых не показано' },
  file: { en: 'File', ru: 'Файл' },
  made: { en: 'Made', ru: 'Создана' },
  signedWith: { en: 'Key', ru: 'Ключ' },
  signature: { en: 'Signature', ru: 'Подпись' },
  valid: { en: 'valid', ru: 'верна' },
  notLookedAt: { en: 'What was not looked at', ru: 'На что не смотрели' },
  allLookedAt: { en: 'Every rule looked at something.', ru: 'Каждое правило на что-то смотрело.' },
  saidNothing: {
    en: 'These rules have said nothing, neither yes nor no:',
    ru: 'Эти правила не сказали ничего, ни «да», ни «нет»:',
  },
  notes: { en: 'Notes', ru: 'Заметки' },
  failed: { en: 'The audit could not be made', ru: 'Аудит не состоялся' },
  saysNothing: {
    en: 'Nothing was judged: this says neither that the books are right nor that they are wrong.',
    ru: 'Ничего не проверено: это не значит ни что учёт верен, ни что он неверен.',
  },
} as const satisfies Record<string, Words>;

export const outcomeWords: Readonly<Record<Outcome, Words>> = {
  holds: {
    en: 'Every rule that looked at something holds',
    ru: 'Каждое правило, которое на что-то смотрело, соблюдено',
  },
  violated: { en: 'Rules are violated', ru: 'Правила нарушены' },
  incomplete: {
    en: 'The audit is not complete: it has not said yes',
    ru: 'Аудит неполон: он не сказал «да»',
  },
  nothing: {
    en: 'There was nothing to judge: the audit has not said yes',
    ru: 'Проверять было нечего: аудит не сказал «да»',
  },
};
