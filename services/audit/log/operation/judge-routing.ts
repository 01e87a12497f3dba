import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { EventEnvelope, FlagViolation } from '../../report/findings/report-violation.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import type { Context } from '../pass/context.ts';
import { whyNoRoute } from '../pass/routes.ts';
import type { OperationFacts } from './fold.ts';

/** An event of an operation that is checked before it is applied. */
export type Judged = {
  context: Context;
  entity: AuditedEntity;
  /** Before the event. */
  facts: OperationFacts;
  event: OperationEvent;
  envelope: EventEnvelope;
  flag: FlagViolation;
};

/** Checks an attempt's route against the set-up in force when the attempt started. */
export function judgeRouting(judged: Judged): void {
  judgeRoute(judged);
  judgeDay(judged);
}

/** Counts a started attempt against its route's daily limit until it is refused or withdrawn. */
function judgeDay({ context: { dayLimits }, facts, event, envelope, flag }: Judged): void {
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

function judgeRoute({ context, facts, event, envelope, flag }: Judged): void {
  if (event.type !== 'AttemptStarted') return;
  const { attempt, route } = event.data;
  const { provider } = route;
  const { switches, shops } = context;
  const shop = shops.find(facts.shopId);
  const { admittedMs } = facts;
  const none = shop && whyNoRoute(shop.routes, { route, admittedMs });
  if (none !== undefined) flag('routing.route', `attempt ${attempt}: ${none}`);
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
