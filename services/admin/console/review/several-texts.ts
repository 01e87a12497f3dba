import type { Words } from '../words.ts';

export const severalTexts = {
  title: { ru: 'Решение по нескольким чекам', en: 'Decide on several receipts' },
  about: {
    ru: 'Каждое решение — отдельная команда со своим результатом. Отменить их нельзя.',
    en: 'Each decision is a command of its own, with its own outcome. None can be undone.',
  },
  review: { ru: 'Проверка', en: 'Review' },
  none: {
    ru: 'Не выбран ни один чек. Отметьте их в очереди.',
    en: 'No receipt is selected. Tick them in the queue.',
  },
  tooMany: {
    ru: 'Выбрано слишком много чеков, максимум:',
    en: 'Too many receipts are selected; the most is',
  },
  receipt: { ru: 'Чек', en: 'Receipt' },
  decision: { ru: 'Решение', en: 'Decision' },
  choose: { ru: 'Выберите…', en: 'Choose…' },
  expected: { ru: 'Ожидается', en: 'Expected' },
  amount: { ru: 'Сумма по чеку', en: 'Amount on the receipt' },
  asExpected: {
    ru: 'На каждом чеке без введённой суммы — ожидаемая сумма',
    en: 'Each receipt without an amount entered shows the expected one',
  },
  goOn: { ru: 'Дальше', en: 'Continue' },
  change: { ru: 'Исправить', en: 'Edit' },
  nothingYet: {
    ru: 'Пока ничего не изменилось. Проверьте данные и подтвердите.',
    en: 'Nothing has changed yet. Check the details, then confirm.',
  },
  credited: { ru: 'Будет зачислено', en: 'Credited' },
  becomes: { ru: 'Станет', en: 'Becomes' },
  sum: { ru: 'Всего будет зачислено', en: 'Credited in all' },
  nothing: { ru: 'ничего', en: 'nothing' },
  refused: {
    ru: 'По отмеченным решение сейчас невозможно: они не будут отправлены.',
    en: 'Those that are marked can’t be decided so now: they will not be sent.',
  },
  confirm: { ru: 'Подтвердить решений:', en: 'Confirm decisions:' },
  recorded: { ru: 'Записано решений', en: 'Decisions recorded' },
  of: { ru: 'из', en: 'of' },
} as const satisfies Record<string, Words>;
