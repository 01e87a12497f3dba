import type { AuditView } from '../../api/audits/read.ts';
import type { Tone } from '#shared/platform/pages/index.ts';
import type { Words } from '../words.ts';

export const texts = {
  title: { ru: 'Аудит', en: 'Audits' },
  about: {
    ru: 'Записанные проверки журнала и всего, что из него построено: по расписанию и запущенные вручную с --record.',
    en: 'Recorded checks of the log and of everything derived from it: scheduled ones, and manual ones with --record.',
  },
  empty: {
    ru: 'Ни одного аудита ещё не записано: AUDIT_EVERY_S включает их по расписанию.',
    en: 'No audit has been recorded yet. AUDIT_EVERY_S schedules them.',
  },
  when: { ru: 'Когда', en: 'When' },
  outcome: { ru: 'Итог', en: 'Outcome' },
  upTo: { ru: 'До позиции', en: 'Up to position' },
  events: { ru: 'Событий', en: 'Events' },
  rules: { ru: 'Правила', en: 'Rules' },
  findings: { ru: 'Находки', en: 'Findings' },
  startedBy: { ru: 'Кто запустил', en: 'Started by' },
  scheduled: { ru: 'по расписанию', en: 'scheduled' },
  checkpoint: { ru: 'Контрольная точка', en: 'Checkpoint' },
  one: { ru: 'Аудит', en: 'Audit' },
  asOf: { ru: 'По состоянию на', en: 'As of' },
  took: { ru: 'Длился', en: 'Took' },
  shop: { ru: 'Учёт магазина', en: 'Ledgers of shop' },
  journal: { ru: 'Хеш журнала', en: 'Hash of the journal' },
  operations: { ru: 'Операции', en: 'Operations' },
  entries: { ru: 'Записи книг', en: 'Ledger entries' },
  since: { ru: 'Прошлая контрольная точка', en: 'Previous checkpoint' },
  holdsSince: { ru: 'журнал не изменён', en: 'the log is unchanged' },
  brokenSince: { ru: 'журнал изменён', en: 'the log was changed' },
  written: { ru: 'Новая контрольная точка', en: 'Checkpoint written' },
  none: { ru: 'нет', en: 'none' },
  notCompared: { ru: 'Не удалось сверить', en: 'Could not be compared' },
  rule: { ru: 'Правило', en: 'Rule' },
  checked: { ru: 'Проверено', en: 'Checked' },
  what: { ru: 'Чего', en: 'What' },
  stream: { ru: 'Поток', en: 'Stream' },
  revision: { ru: 'Ревизия', en: 'Revision' },
  position: { ru: 'Позиция', en: 'Position' },
  holds: { ru: 'соблюдено', en: 'holds' },
  broken: { ru: 'нарушено', en: 'violated' },
  silent: { ru: 'проверять было нечего', en: 'nothing to check' },
  noFindings: { ru: 'Находок нет.', en: 'No findings.' },
  firstOnes: {
    ru: 'Показаны первые; полный список даёт отчёт: npm run audit -- --report.',
    en: 'Only the first ones are shown; the report has more: npm run audit -- --report.',
  },
  reason: { ru: 'Почему не удался', en: 'Why it failed' },
} as const satisfies Record<string, Words>;

export const outcomeNames: Readonly<Record<AuditView['outcome'], { tone: Tone; name: Words }>> = {
  holds: { tone: 'success', name: { ru: 'правила соблюдены', en: 'rules hold' } },
  violated: { tone: 'danger', name: { ru: 'правила нарушены', en: 'rules violated' } },
  incomplete: { tone: 'warning', name: { ru: 'неполон', en: 'not complete' } },
  nothing: { tone: 'neutral', name: { ru: 'нечего проверять', en: 'nothing to check' } },
  failed: { tone: 'danger', name: { ru: 'не удался', en: 'failed' } },
};
