import type { Route } from '#shared/domain/routing.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { dayMs } from '#shared/domain/day.ts';
import { graceMs } from '../../authority/commands.ts';
import { parseExactMinor } from '../operation/exact-arithmetic.ts';
import type { OperationFacts } from '../operation/fold.ts';

/** The routes that a shop had for some time. */
type RouteSet = {
  /** Each as canonical JSON. */
  routes: ReadonlySet<string>;
  /** Each in its own order of fields: attempts mostly have the same, and it is made faster. */
  asWritten: ReadonlySet<string>;
  /** By priority, and routes of one priority in the operator's order. */
  ordered: readonly Route[];
  fromMs: number;
  untilMs: number;
};

/** Oldest first. */
export type RouteSets = RouteSet[];

/** An operation begins its last attempt within its acceptance wait, which is no longer. */
const retentionMs = dayMs;

export function applyRoutesReplaced(sets: RouteSets, routes: readonly Route[], atMs: number): void {
  const before = sets.at(-1);
  if (before) before.untilMs = atMs;
  const retained = sets.filter(({ untilMs }) => untilMs + retentionMs >= atMs);
  sets.splice(0, sets.length, ...retained);
  sets.push({
    routes: new Set(routes.map(canonicalJson)),
    asWritten: new Set(routes.map((route) => JSON.stringify(route))),
    ordered: routes.toSorted((left, right) => left.priority - right.priority),
    fromMs: atMs,
    untilMs: Infinity,
  });
}

/**
 * Why an operation can't use a route: its shop had no such route when the operation began, or
 * shortly before. A create uses the routes that it read first (R7.1).
 */
export function whyNoRoute(
  sets: RouteSets,
  { route, admittedMs }: { route: Route; admittedMs: number },
): string | undefined {
  const then = setsAt(sets, admittedMs);
  const written = JSON.stringify(route);
  if (then.some(({ asWritten }) => asWritten.has(written))) return undefined;
  const canonical = canonicalJson(route);
  if (then.some(({ routes }) => routes.has(canonical))) return undefined;
  const had = then
    .flatMap(({ ordered }) => ordered)
    .filter(({ type, method }) => type === route.type && method === route.method);
  const others = [...new Set(had.map(named))].slice(0, 5).join('; ') || 'none';
  return `it uses ${named(route)}, the shop had ${others} at that time`;
}

const setsAt = (sets: RouteSets, admittedMs: number): RouteSets =>
  sets.filter(
    ({ fromMs, untilMs }) => fromMs <= admittedMs + graceMs && untilMs + graceMs >= admittedMs,
  );

/** What an operation selects its routes by. */
type RouteRequest = Pick<OperationFacts, 'type' | 'method' | 'currency' | 'amount' | 'admittedMs'>;

/**
 * The routes that an operation may come to after that many were tried or skipped (R7.1): the next
 * that fits it in each order that its shop had when it began, or shortly before.
 */
export function nextRoutes(sets: RouteSets, operation: RouteRequest, before: number): Route[] {
  return setsAt(sets, operation.admittedMs).flatMap(
    ({ ordered }) => ordered.filter((route) => fits(route, operation))[before] ?? [],
  );
}

/** Whether the shop had one more that fits, in each order that it had then. */
export function hasRouteLeft(sets: RouteSets, operation: RouteRequest, before: number): boolean {
  const then = setsAt(sets, operation.admittedMs);
  return then.length > 0 && nextRoutes(then, operation, before).length === then.length;
}

const fits = (route: Route, { type, method, currency, amount }: RouteRequest): boolean =>
  route.type === type &&
  route.method === method &&
  route.currency === currency &&
  parseExactMinor(route.min_amount ?? amount) <= parseExactMinor(amount) &&
  parseExactMinor(route.max_amount ?? amount) >= parseExactMinor(amount);

export function named({ type, method, provider, account, commission, conversion }: Route): string {
  const at = account === undefined ? provider : `${provider}/${account}`;
  const into = conversion ? ` into ${conversion.settlement_currency}` : '';
  return `${type} ${method} by ${at} at ${commission.percent} % and ${commission.fixed}${into}`;
}
