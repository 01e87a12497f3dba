import { whySkip, type Route } from '#shared/domain/routing.ts';
import { formatAmount, html, type Html } from '#shared/platform/pages/index.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { count, renderTable, type Pair } from '../../frame/components.ts';
import type { Console, ConsoleView } from '../env.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { estimate, type RoutingEstimate } from './estimate.ts';
import { estimatedAtMost, readLastWeek } from './last-week.ts';
import { tryTexts } from './texts.ts';

const texts = {
  title: { ru: 'Операции за неделю, оценка', en: 'Last week’s operations, an estimate' },
  about: {
    ru: 'Это оценка: суммы и методы операций за последние 7 дней проведены через маршруты, и каждый провайдер принимает так же часто, как за эти 7 дней у всех магазинов. Комиссия — за принятые, без маршрутов с конвертацией. Дневные лимиты не учтены.',
    en: 'This is an estimate: it sends the amounts and methods of the last 7 days through the routes, and assumes that each provider accepts as often as it did for all shops in those 7 days. Commission is for accepted operations, without routes that convert. Daily limits are ignored.',
  },
  nothing: {
    ru: 'За последние 7 дней операций не было: оценивать нечего.',
    en: 'There were no operations in the last 7 days: there is nothing to estimate.',
  },
  newest: { ru: 'Взяты новейшие', en: 'Newest operations used' },
  before: { ru: 'Принято, сейчас', en: 'Accepted, with the current routes' },
  after: { ru: 'Принято, с новыми', en: 'Accepted, with the new routes' },
  commissionBefore: { ru: 'Комиссия, сейчас', en: 'Commission, with the current routes' },
  commissionAfter: { ru: 'Комиссия, с новыми', en: 'Commission, with the new routes' },
  noProvider: { ru: 'Никем не приняты', en: 'Accepted by no provider' },
  guess: { ru: 'нет данных: считается, что примет всё', en: 'no history: assumed to accept all' },
} as const satisfies Record<string, Words>;

/**
 * The estimated result of last week's operations with the current routes, and with those of the
 * form.
 * @throws Problem not_ready
 */
export async function estimated(
  { db, directory, now }: Console,
  view: ConsoleView,
  { shopId, before, after }: { shopId: string; before: readonly Route[]; after: readonly Route[] },
): Promise<Pair> {
  const [week, switches] = await Promise.all([
    fromDatabase(readLastWeek(db, { shopId, nowMs: now() })),
    fromStore(directory.providers('now')),
  ]);
  const conditions = { ...week, skip: whySkip(switches) };
  const [old, fresh] = [estimate(before, conditions), estimate(after, conditions)];
  const { t } = view;
  return [
    t(texts.title),
    old.operations === 0 ? html`${t(texts.nothing)}` : compared(view, old, fresh),
  ];
}

function compared(view: ConsoleView, before: RoutingEstimate, after: RoutingEstimate): Html {
  const { t, language } = view;
  const keys = new Map(
    [...after.byProvider, ...before.byProvider].map(({ provider, currency }) => [
      `${provider} ${currency}`,
      { provider, currency },
    ]),
  );
  const cells = ({ byProvider }: RoutingEstimate, provider: string, currency: string) => {
    const match = byProvider.find(
      (each) => each.provider === provider && each.currency === currency,
    );
    const { accepted = 0, commission = 0, withoutHistory = false } = match ?? {};
    return {
      accepted,
      money: formatAmount(language, commission.toFixed(2), currency),
      withoutHistory,
    };
  };
  const rounded = (value: number) => `≈ ${count(view, Math.round(value))}`;
  const rows = [...keys.values()].map(({ provider, currency }) => {
    const [old, fresh] = [cells(before, provider, currency), cells(after, provider, currency)];
    const name = html`${provider}${fresh.withoutHistory && html` <span class="muted small">${t(texts.guess)}</span>`}`;
    return [name, rounded(old.accepted), rounded(fresh.accepted), old.money, fresh.money];
  });
  const unroutedShare = ({ operations, accepted }: RoutingEstimate) =>
    rounded(operations - accepted);
  return html`<p class="small">
      ${t(texts.about)} ${t(texts.newest)}: ${count(view, after.operations, estimatedAtMost)}.
    </p>
    ${renderTable(view, {
      caption: t(texts.title),
      columns: [
        common.provider,
        { amount: texts.before },
        { amount: texts.after },
        { amount: texts.commissionBefore },
        { amount: texts.commissionAfter },
      ],
      rows: [...rows, [t(texts.noProvider), unroutedShare(before), unroutedShare(after), '', '']],
      empty: t(tryTexts.noProvider),
    })}`;
}
