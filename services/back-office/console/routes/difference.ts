import { accountKey } from '#shared/domain/provider/accounts.ts';
import type { Route } from '#shared/domain/routing.ts';
import { formatAmount, type Language } from '#shared/platform/pages/index.ts';
import { typeNames } from '../../frame/names.ts';
import { common, translator, type Words } from '#shared/application/pages/translations.ts';
import { routeTexts as texts } from './texts.ts';

const words = {
  added: { ru: 'Добавлен', en: 'Added' },
  removed: { ru: 'Убран', en: 'Removed' },
  changed: { ru: 'Изменён', en: 'Changed' },
  order: { ru: 'Порядок', en: 'Order' },
  reordered: {
    ru: 'маршруты с равным приоритетом пробуются в новом порядке',
    en: 'routes with the same priority are tried in a new order',
  },
  empty: { ru: 'нет', en: 'none' },
} as const satisfies Record<string, Words>;

type RouteChange = { what: string; text: string };
type Facts = readonly (readonly [name: Words, value: string])[];

/** The provider, with the account if the route names one. */
export const routeTarget = ({ provider, account }: Pick<Route, 'provider' | 'account'>): string =>
  account === undefined ? provider : accountKey(provider, account);

/** The currency of a route's commission. */
const commissionCurrency = ({ conversion, currency }: Pick<Route, 'conversion' | 'currency'>) =>
  conversion?.settlement_currency ?? currency;

/** A commission as people write it: `2.50%`, `2,50 % + 1,00 ₽`. The rate has up to four decimals. */
export function commissionText(
  language: Language,
  {
    commission: { percent, fixed },
    ...route
  }: Pick<Route, 'commission' | 'conversion' | 'currency'>,
): string {
  const rate = language === 'ru' ? `${percent.replace('.', ',')}\u00a0%` : `${percent}%`;
  if (fixed === '0.00') return rate;
  return `${rate} + ${formatAmount(language, fixed, commissionCurrency(route))}`;
}

/** A route in a few words, as lists name it. */
export function routeName(language: Language, route: Route): string {
  const t = translator(language);
  return `${t(typeNames[route.type])} ${route.method} → ${routeTarget(route)}`;
}

/** The parts in which two routes can differ, in words. */
function describeRoute(language: Language, route: Route): Facts {
  const t = translator(language);
  const money = (amount: string | undefined, currency: string) =>
    amount === undefined ? t(words.empty) : formatAmount(language, amount, currency);
  const { commission, conversion, options, currency } = route;
  return [
    [texts.type, t(typeNames[route.type])],
    [texts.method, route.method],
    [common.currency, currency],
    [texts.provider, route.provider],
    [texts.account, route.account ?? t(texts.environment)],
    [texts.priority, String(route.priority)],
    [texts.min, money(route.min_amount, currency)],
    [texts.max, money(route.max_amount, currency)],
    [
      texts.dailyCount,
      route.daily_count === undefined ? t(words.empty) : String(route.daily_count),
    ],
    [texts.dailyAmount, money(route.daily_amount, currency)],
    [texts.percent, commission.percent],
    [texts.fixed, money(commission.fixed, commissionCurrency(route))],
    [texts.receipt, t(route.requires_receipt ? common.yes : common.no)],
    [texts.settlement, conversion?.settlement_currency ?? t(texts.noConversion)],
    [texts.source, conversion?.fx_source ?? t(words.empty)],
    [texts.options, options === undefined ? t(words.empty) : JSON.stringify(options)],
  ];
}

type Edit = { before: readonly Route[]; after: readonly Route[]; origins: readonly number[] };

/**
 * The changes when `after` replaces `before`, in words: old → new. `origins` has for each route of
 * `after` which one of `before` it was, -1 for a new one. Pure.
 */
export function routeChanges(language: Language, { before, after, origins }: Edit): RouteChange[] {
  const t = translator(language);
  const describeTerms = (route: Route) => {
    const name = routeName(language, route);
    return `${name}, ${t(texts.priority)} ${route.priority}, ${commissionText(language, route)}`;
  };
  const changes: RouteChange[] = [];
  for (const [index, route] of before.entries())
    if (!origins.includes(index))
      changes.push({ what: t(words.removed), text: describeTerms(route) });
  for (const [index, route] of after.entries()) {
    const old = before[origins[index] ?? -1];
    if (!old) {
      changes.push({ what: t(words.added), text: describeTerms(route) });
      continue;
    }
    const newFacts = describeRoute(language, route);
    const differing = describeRoute(language, old).flatMap(([name, value], fact) => {
      const now = newFacts[fact]?.[1] ?? '';
      return value === now ? [] : [`${t(name)}: ${value} → ${now}`];
    });
    if (differing.length > 0)
      changes.push({
        what: t(words.changed),
        text: `${routeName(language, old)} (${old.priority}): ${differing.join('; ')}`,
      });
  }
  const remaining = origins.filter((origin) => origin >= 0);
  if (remaining.some((origin, index) => origin < (remaining[index - 1] ?? 0)))
    changes.push({ what: t(words.order), text: t(words.reordered) });
  return changes;
}
