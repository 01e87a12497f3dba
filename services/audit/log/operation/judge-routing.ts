import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { Route, SkipReason } from '#shared/domain/routing.ts';
import type { EventEnvelope, FlagViolation } from '../../report/findings/report-violation.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import type { AuditContext } from '../pass/context.ts';
import { hasLimit } from '../pass/day-limits.ts';
import { named, nextRoutes, whyNoRoute } from '../pass/routes.ts';
import { isNoted } from '../pass/skips.ts';
import type { OperationFacts } from './fold.ts';

/** An event of an operation that is checked before it is applied. */
export type RoutingContext = {
  context: AuditContext;
  entity: AuditedEntity;
  /** Before the event. */
  facts: OperationFacts;
  event: OperationEvent;
  envelope: EventEnvelope;
  flag: FlagViolation;
};

/** Checks an attempt's route against the set-up in force when the attempt started. */
export function judgeRouting(judged: RoutingContext): void {
  judged.context.skips.settleUntil(judged.envelope.atMs);
  judgeRoute(judged);
  judgeSkips(judged);
  judgeDay(judged);
}

/** Counts a started attempt against its route's daily limit until it is refused or withdrawn. */
function judgeDay({ context: { dayLimits }, facts, event, envelope, flag }: RoutingContext): void {
  if (event.type === 'AttemptStarted') {
    const { attempt, route } = event.data;
    const { daily_count, daily_amount } = route;
    const limits = { daily_count, daily_amount };
    const full = dayLimits.start({ operation: facts, route, atMs: envelope.atMs }, limits);
    if (full !== undefined) flag('routing.daily_limit', `attempt ${attempt}: ${full}`);
  }
  if (event.type !== 'AttemptRefused' && event.type !== 'AttemptWithdrawn') return;
  const lost = facts.attempts.find(({ attempt }) => attempt === event.data.attempt);
  if (lost?.outcome !== 'started' && lost?.outcome !== 'unresolved') return;
  dayLimits.free({ operation: facts, route: lost, atMs: lost.startedMs });
}

function judgeRoute(judged: RoutingContext): void {
  const { context, facts, event, envelope, flag } = judged;
  if (event.type !== 'AttemptStarted') return;
  const { attempt, route } = event.data;
  const { provider } = route;
  const { switches, shops } = context;
  const shop = shops.find(facts.shopId);
  const { admittedMs } = facts;
  const none = shop && whyNoRoute(shop.routes, { route, admittedMs });
  if (none === undefined) flag('routing.order', whyNotNext(judged, [route]));
  else flag('routing.route', `attempt ${attempt}: ${none}`);
  const since = switches.offBefore(provider, envelope.atMs);
  if (since !== undefined)
    flag(
      'routing.provider_off',
      `an attempt is started at ${provider}, which is switched off since ${since}`,
    );
  const why = switches.whyNotAccount(route, envelope.atMs);
  if (why !== undefined)
    flag(
      'routing.account_off',
      `an attempt is started with account ${route.account} of ${provider}: ${why}`,
    );
}

/** What an event names of a route that was tried or skipped. */
type NamedRoute = Pick<Route, 'provider' | 'priority'>;

/** Why these routes are not the next ones that fit, after those tried or skipped before (R7.1). */
function whyNotNext(
  { context, facts }: Pick<RoutingContext, 'context' | 'facts'>,
  routes: readonly NamedRoute[],
): string | undefined {
  const sets = context.shops.find(facts.shopId)?.routes;
  // An older version recorded no skipped routes.
  if (!sets || facts.older) return undefined;
  const before = facts.attempts.length + facts.skippedRoutes;
  for (const [index, { provider, priority }] of routes.entries()) {
    const next = nextRoutes(sets, facts, before + index);
    if (next.some((route) => route.provider === provider && route.priority === priority)) continue;
    const expected = [...new Set(next.map(named))].join('; ') || 'none';
    return `${provider} with priority ${priority} comes after ${before + index} routes, where the next that fits is ${expected}`;
  }
  return undefined;
}

/** From this version on, every reason to skip a route is recorded. */
const namesReasons = 3;

/** Skipped routes are the next ones that fit, and what is said to be switched off was. */
function judgeSkips({ context, facts, event, envelope, flag }: RoutingContext): void {
  if (event.type !== 'RoutesSkipped') return;
  const { routes } = event.data;
  flag('routing.order', whyNotNext({ context, facts }, routes));
  if (envelope.metadata.schema_version < namesReasons) return;
  const sets = context.shops.find(facts.shopId)?.routes ?? [];
  const before = facts.attempts.length + facts.skippedRoutes;
  for (const [index, { provider, reason }] of routes.entries()) {
    const skipped = nextRoutes(sets, facts, before + index);
    const why = whyNotSkipped(context, { provider, reason, skipped, atMs: envelope.atMs });
    if (why !== undefined) flag('routing.order', `${provider} is skipped by ${reason}, and ${why}`);
    else if (isNoted(reason))
      context.skips.skip({ operation: facts, reason, routes: skipped, atMs: envelope.atMs });
  }
}

type Skip = { provider: string; reason: SkipReason; skipped: readonly Route[]; atMs: number };

function whyNotSkipped(
  { switches }: Pick<RoutingContext['context'], 'switches'>,
  { provider, reason, skipped, atMs }: Skip,
): string | undefined {
  if (reason === 'provider_failing') return undefined;
  if (reason === 'route_full' || reason === 'limit_unknown')
    return skipped.length === 0 || skipped.some(hasLimit) ? undefined : 'has no daily limit';
  const what = reason === 'provider_off' ? 'provider' : 'account';
  const routes = what === 'provider' ? [{ provider }] : skipped;
  return routes.some((route) => switches.mayBeOff(route, { what, atMs }))
    ? undefined
    : 'was not switched off';
}
