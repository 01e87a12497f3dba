import type { Words } from '#shared/application/pages/translations.ts';

export const severalTexts = {
  title: { ru: 'Решение по нескольким чекам', en: 'Decide on several receipts' },
  about: {
    ru: 'Каждое решение — отдельная команда со своим результатом. Отменить их нельзя.',
    en: 'Each decision is a separate command with its own outcome. None can be undone.',
  },
  none: {
    ru: 'Не выбран ни один чек. Отметьте их в очереди.',
    en: 'No receipt is selected. Tick them in the queue.',
  },
  amount: { ru: 'Сумма по чеку', en: 'Amount on the receipt' },
  asExpected: {
    ru: 'На каждом чеке без введённой суммы — ожидаемая сумма',
    en: 'Every receipt without an entered amount shows the expected amount',
  },
  change: { ru: 'Исправить', en: 'Edit' },
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
} as const satisfies Record<string, Words>;
