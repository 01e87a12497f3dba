import type { Words } from '#shared/application/pages/translations.ts';

export const severalTexts = {
  title: { ru: 'Решение по нескольким чекам', en: 'Decide on several receipts' },
  about: {
    ru: 'Каждое решение — отдельная команда со своим результатом. Отменить их нельзя.',
    en: 'Each decision is a separate command with its own outcome. None can be undone.',
  },
  review: { ru: 'Ручная проверка', en: 'Manual check' },
  none: {
    ru: 'Не выбран ни один чек. Отметьте их в очереди.',
    en: 'No receipt is selected. Tick them in the queue.',
  },
  tooMany: {
    ru: 'Выбрано слишком много чеков, максимум:',
    en: 'Too many receipts are selected; the maximum is',
  },
  receipt: { ru: 'Чек', en: 'Receipt' },
  decision: { ru: 'Решение', en: 'Decision' },
  choose: { ru: 'Выберите…', en: 'Choose…' },
  expected: { ru: 'Ожидается', en: 'Expected' },
  amount: { ru: 'Сумма по чеку', en: 'Amount on the receipt' },
  asExpected: {
    ru: 'На каждом чеке без введённой суммы — ожидаемая сумма',
    en: 'Every receipt without an entered amount shows the expected amount',
  },
  proceed: { ru: 'Дальше', en: 'Continue' },
  change: { ru: 'Исправить', en: 'Edit' },
  nothingYet: {
    ru: 'Пока ничего не изменилось. Проверьте данные и подтвердите.',
    en: 'Nothing has changed yet. Check the details, then confirm.',
  },
  credited: { ru: 'Будет зачислено', en: 'Credited' },
  becomes: { ru: 'Станет', en: 'Becomes' },
  sum: { ru: 'Всего будет зачислено', en: 'Credited in total' },
  nothing: { ru: 'ничего', en: 'nothing' },
  refused: {
    ru: 'По отмеченным решение сейчас невозможно: они не будут отправлены.',
    en: 'This decision is not possible now for the marked receipts: they will not be sent.',
  },
  confirm: { ru: 'Подтвердить решений:', en: 'Confirm decisions:' },
  recorded: { ru: 'Записано решений', en: 'Decisions recorded' },
  of: { ru: 'из', en: 'of' },
} as const satisfies Record<string, Words>;
