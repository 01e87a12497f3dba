import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { dayMs } from '#shared/domain/day.ts';
import { graceMs } from '../../authority/commands.ts';
import {
  formatExactMinor,
  parseExactMinor,
  type ExactMinor,
} from '../operation/exact-arithmetic.ts';

type Attempt = {
  operation: {
    [Name in 'operationId' | 'shopId' | 'type' | 'method' | 'currency' | 'amount']: string;
  };
  route: { provider: string; account?: string | undefined };
  /** When it was started. */
  atMs: number;
};
type Limits = { daily_count?: number | undefined; daily_amount?: string | undefined };

export type DayLimits = ReturnType<typeof createDayLimits>;

type LimitUsage = { count: number; amount: ExactMinor };
/** `old`: what every instance has read by now; `recent`: by the second in which it began. */
type RouteDay = {
  old: LimitUsage;
  recent: (LimitUsage & { second: number })[];
  /** All that began, also what was refused. */
  begun: LimitUsage;
};

/** How many operations are named; the others are only counted. */
const mostNamed = 50;
/** An instance may not have read yet what another one began so shortly before. */
const unreadS = graceMs / 1_000;

const attemptDay = ({ atMs }: Attempt): number => Math.floor(atMs / dayMs);

function routeDayKey({ operation, route }: Attempt): string {
  const { shopId, type, method, currency } = operation;
  const { provider, account = defaultAccount } = route;
  return `${shopId} ${type} ${method} ${currency} ${provider} ${account}`;
}

/** How much began on each route's day (R7.17), by the auditor's own count. */
export function createDayLimits(shopId?: string) {
  const days = new Map<number, Map<string, RouteDay>>();
  let past = 0;
  const named: string[] = [];

  const routeDay = (attempt: Attempt): RouteDay | undefined =>
    days.get(attemptDay(attempt))?.get(routeDayKey(attempt));
  const begin = (attempt: Attempt): RouteDay => {
    const day = attemptDay(attempt);
    let routes = days.get(day);
    if (!routes) {
      days.set(day, (routes = new Map()));
      // Yesterday's attempts may still turn out as not taken.
      for (const each of days.keys()) if (each < day - 1) days.delete(each);
    }
    const none = { count: 0, amount: 0n };
    const made: RouteDay = { old: { ...none }, recent: [], begun: none };
    routes.set(routeDayKey(attempt), made);
    return made;
  };

  return {
    /**
     * Counts an attempt. @returns why its route could not take it any more; undefined if it could.
     */
    start: (attempt: Attempt, limits: Limits): string | undefined => {
      const of = routeDay(attempt) ?? begin(attempt);
      const second = Math.floor(attempt.atMs / 1_000);
      const amount = parseExactMinor(attempt.operation.amount);
      age(of, second);
      const full = whyFull(limits, of.old, amount);
      // An instance whose clock is ahead of the store's is in the next day already.
      const isNextDay = Math.floor((attempt.atMs + graceMs) / dayMs) !== attemptDay(attempt);
      const problem = isNextDay ? undefined : full;
      const isInScope = shopId === undefined || attempt.operation.shopId === shopId;
      if (!full && isInScope && hasLimit(limits)) {
        const all = of.recent.reduce(added, of.old);
        if (whyFull(limits, all, amount) !== undefined) {
          past += 1;
          if (past <= mostNamed) named.push(attempt.operation.operationId);
        }
      }
      add(of, { second, amount });
      return problem;
    },
    /** Whether a route may have been full for an attempt, on the day of an instance's clock. */
    mayBeFull: (attempt: Attempt, limits: Limits): boolean =>
      [-graceMs, 0, graceMs].some((offsetMs) => {
        const of = routeDay({ ...attempt, atMs: attempt.atMs + offsetMs });
        const begun = of?.begun ?? { count: 0, amount: 0n };
        return whyFull(limits, begun, parseExactMinor(attempt.operation.amount)) !== undefined;
      }),
    /** Its provider did not take it. */
    free: (attempt: Attempt): void => {
      const of = routeDay(attempt);
      const second = Math.floor(attempt.atMs / 1_000);
      const from = of?.recent.find((each) => each.second === second) ?? of?.old;
      if (!from) return;
      from.count -= 1;
      from.amount -= parseExactMinor(attempt.operation.amount);
    },
    /** One line of text, about one shop or all; empty if there is nothing to note. */
    notes: (): string[] =>
      past === 0
        ? []
        : [
            `${past} attempts exceeded the daily limit of their route because of attempts started within the minute before (one instance enforces a limit exactly, several may not): ${named.join(', ')}${past > mostNamed ? ' and others' : ''}`,
          ],
  };
}

const added = (left: LimitUsage, right: LimitUsage): LimitUsage => ({
  count: left.count + right.count,
  amount: left.amount + right.amount,
});

function add(of: RouteDay, { second, amount }: { second: number; amount: ExactMinor }): void {
  of.begun = added(of.begun, { count: 1, amount });
  const newest = of.recent.at(-1);
  if (newest?.second !== second) of.recent.push({ second, count: 1, amount });
  else {
    newest.count += 1;
    newest.amount += amount;
  }
}

function age(of: RouteDay, second: number): void {
  for (let [first] = of.recent; first && first.second + unreadS < second; [first] = of.recent) {
    of.old = added(of.old, first);
    of.recent.shift();
  }
}

export const hasLimit = ({ daily_count: most, daily_amount: limit }: Limits): boolean =>
  most !== undefined || limit !== undefined;

function whyFull(
  { daily_count: most, daily_amount: limit }: Limits,
  { count, amount }: LimitUsage,
  more: ExactMinor,
): string | undefined {
  const isFull = most !== undefined && count >= most;
  if (!isFull && (limit === undefined || amount + more <= parseExactMinor(limit))) return undefined;
  const began = `${count} for ${formatExactMinor(amount)} began on the day, a minute before or earlier`;
  if (isFull) return `${began}, and the route takes ${most} a day`;
  return `${began}, and with ${formatExactMinor(more)} more the route takes ${limit} a day`;
}
