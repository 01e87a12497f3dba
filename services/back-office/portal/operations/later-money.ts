import { decodeLateEvent } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent, type Entry } from '#shared/domain/ledger/events.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import { at, renderTable } from '../../frame/components.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { formatAmount, type Html } from '#shared/platform/pages/index.ts';
import type { PortalView } from '../env.ts';

const texts = {
  payout: { ru: 'Вернулось от получателя', en: 'Returned by the payee' },
  payment: { ru: 'Возвращено плательщику (чарджбэк)', en: 'Charged back' },
  outcome: { ru: 'Что дальше', en: 'Outcome' },
  before: { ru: 'Учтено в сумме операции', en: 'Deducted from the operation’s amount' },
  waits: {
    ru: 'Ждёт решения шлюза, баланс пока не изменился',
    en: 'Waiting for the gateway’s decision; your balance has not changed yet',
  },
  credited: { ru: 'Зачислено на баланс', en: 'Credited to your balance' },
  charged: { ru: 'Списано с баланса', en: 'Charged to your balance' },
  settled: { ru: 'Решено, баланс не изменился', en: 'Settled; your balance did not change' },
  late: { ru: 'Деньги пришли после завершения', en: 'Money that came after the end' },
} as const satisfies Record<string, Words>;

/** Money of an operation that was returned, or came after its end. */
type Back = {
  amount: string;
  completedAt: string;
  outcome: 'before' | 'waits' | 'credited' | 'charged' | 'settled';
};

type Resolution = Extract<Entry, { kind: 'resolution' }>;

const resolutionsIn = (entries: readonly StoredEvent[]): Resolution[] =>
  entries
    .map((event) => decodeLedgerEvent(event).data)
    .filter((entry) => entry.kind === 'resolution');

/** In log order: returns before the end, then later ones. */
export function listReturns(given: {
  operation: readonly StoredEvent[];
  late: readonly StoredEvent[];
  entries: readonly StoredEvent[];
}): Back[] {
  const resolutions = resolutionsIn(given.entries);
  const before = given.operation.flatMap((event): Back[] => {
    const { type, data } = decodeOperationEvent(event);
    if (type !== 'LegReturned' || data.counted === '0.00') return [];
    return [{ amount: data.counted, completedAt: data.returned.completed_at, outcome: 'before' }];
  });
  const after = given.late.flatMap((event): Back[] => {
    const { type, data } = decodeLateEvent(event);
    if (type !== 'MoneyReturned') return [];
    const { leg_id: id, amount, completed_at: completedAt } = data.leg;
    const decided = resolutions.find((each) => each.leg_id === id && each.of_leg_id !== undefined);
    return [{ amount, completedAt, outcome: resolutionOutcome(decided) }];
  });
  return [...before, ...after];
}

/** Money that came after the end, in log order. */
export function lateMoney(given: {
  late: readonly StoredEvent[];
  entries: readonly StoredEvent[];
}): Back[] {
  const resolutions = resolutionsIn(given.entries);
  return given.late.flatMap((event): Back[] => {
    const { type, data } = decodeLateEvent(event);
    if (type !== 'LateMoneyReceived') return [];
    const { leg_id: id, amount, completed_at: completedAt } = data.leg;
    const decided = resolutions.find((each) => each.leg_id === id && each.of_leg_id === undefined);
    return [{ amount, completedAt, outcome: resolutionOutcome(decided) }];
  });
}

function resolutionOutcome(decided: Resolution | undefined): Back['outcome'] {
  if (!decided) return 'waits';
  if (decided.resolution === 'credit_shop') return 'credited';
  return decided.resolution === 'charge_shop' ? 'charged' : 'settled';
}

export const backTitle = (type: 'payment' | 'payout'): Words => texts[type];
export const lateTitle: Words = texts.late;

/** Returned or late money, and what becomes of it, in a merchant's words. */
export function backTable(
  view: PortalView,
  title: Words,
  { backs, currency }: { backs: readonly Back[]; currency: string },
): Html {
  const { t, language } = view;
  return renderTable(view, {
    caption: t(title),
    columns: [{ amount: common.amount }, common.when, texts.outcome],
    rows: backs.map(({ amount, completedAt, outcome }) => [
      formatAmount(language, amount, currency),
      at(view, completedAt),
      t(texts[outcome]),
    ]),
  });
}
