import type { DeclineCause } from '#shared/domain/operation/events.ts';
import { graceMs } from '../../authority/commands.ts';
import { hasRouteLeft } from '../pass/routes.ts';
import type { AttemptFacts, OperationFacts } from './fold.ts';
import type { RoutingContext } from './judge-routing.ts';

/** From this version on, a decline has each of today's causes. */
const namesCauses = 4;

/** The causes of attempts that failed; the first one that an attempt has is that of the decline. */
const byFailure: readonly [NonNullable<AttemptFacts['failure']>, DeclineCause][] = [
  ['timeout', 'acceptance_timeout'],
  ['error', 'provider_error'],
  ['insufficient_funds', 'insufficient_funds'],
  ['refused', 'all_refused'],
];

/** A create is declined for what became of its attempts and of skipped routes (R7.4). */
export function judgeDecline({ context, facts, event, envelope, flag }: RoutingContext): void {
  if (event.type !== 'OperationDeclined' || facts.status !== 'creating' || facts.older) return;
  if (envelope.metadata.schema_version < namesCauses || facts.cancelledFirst) return;
  const sets = context.shops.find(facts.shopId)?.routes ?? [];
  const isLeft = hasRouteLeft(sets, facts, facts.attempts.length + facts.skippedRoutes);
  // The gateway's clock is compared with the store's.
  const isTimeUp = envelope.atMs + graceMs >= facts.acceptUntilMs;
  const { reason } = event.data;
  if (reason === 'acceptance_timeout' && isTimeUp) return;
  const due = findCause(facts);
  if (reason !== due)
    flag('operation.decline_cause', `declined by ${reason}, where it is ${due ?? 'undecided'}`);
  else if (isLeft && !isTimeUp)
    flag('operation.decline_cause', `declined by ${reason}, where a route that fits is left`);
}

/** The cause of a decline now; undefined while an attempt waits for its answer. */
function findCause({ attempts, skippedRoutes, skippedAsFull }: OperationFacts) {
  if (attempts.some(({ outcome }) => outcome === 'started')) return undefined;
  if (attempts.length > 0)
    return byFailure.find(([failed]) => attempts.some(({ failure }) => failure === failed))?.[1];
  if (skippedRoutes === 0) return 'no_route';
  return skippedAsFull ? 'routes_full' : 'routes_skipped';
}
