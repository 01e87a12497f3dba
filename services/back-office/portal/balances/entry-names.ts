import type { EntryKind } from '#shared/domain/ledger/events.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** What an entry is to the merchant. */
const kindNames: Readonly<Record<EntryKind, Words>> = {
  credit: { ru: 'Зачислен платёж', en: 'Payment credited' },
  reserve: { ru: 'Резерв для выплаты', en: 'Reserved for a payout' },
  capture: { ru: 'Выплата исполнена', en: 'Payout completed' },
  release: { ru: 'Резерв снят', en: 'Reserve released' },
  adjustment: { ru: 'Корректировка шлюза', en: 'Adjustment by the gateway' },
  suspense: { ru: 'Невыясненная сумма', en: 'Suspense' },
  resolution: { ru: 'Решение по невыясненной сумме', en: 'Suspense resolved' },
};

/** A decision on returned money, by its effect on the balance. */
const returnedNames = {
  in: { ru: 'Выплата вернулась', en: 'Payout returned' },
  out: { ru: 'Чарджбэк', en: 'Payment charged back' },
} as const satisfies Record<string, Words>;

/** The order in which totals list the kinds. */
export const kindOrder = (kind: EntryKind): number => Object.keys(kindNames).indexOf(kind);

export const entryName = (kind: EntryKind, returned: 'in' | 'out' | null): Words =>
  returned === null ? kindNames[kind] : returnedNames[returned];
