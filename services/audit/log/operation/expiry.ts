import { graceMs } from '../../authority/commands.ts';
import { auditedRoute, type OperationFacts } from './fold.ts';
import type { RoutingContext } from './judge-routing.ts';

/** Events of this version on name the report that they came of. */
const namesReport = 2;

/** Whether a payment expired although its window was open, which only its provider can report. */
export const isEarly = ({ accepted }: OperationFacts, atMs: number): boolean =>
  accepted?.expiresAt === undefined || atMs + graceMs < Date.parse(accepted.expiresAt);

/** A payment can't expire while its window is open, unless its provider reported it (R6.7). */
export function judgeExpiry({ context, facts, event, envelope, flag }: RoutingContext): void {
  const { answers } = context;
  flag('operation.expired_early', whyNotExpired({ facts, event, envelope }, answers.areNumbered));
  if (!('report_version' in event.data) || event.data.report_version === undefined) return;
  const route = auditedRoute(facts);
  if (route) answers.number(route.provider);
}

function whyNotExpired(
  { facts, event, envelope }: Pick<RoutingContext, 'facts' | 'event' | 'envelope'>,
  areNumbered: (provider: string) => boolean,
): string | undefined {
  if (event.type !== 'OperationExpired' || !isEarly(facts, envelope.atMs)) return undefined;
  const { actor, metadata } = envelope;
  if (actor.startsWith('provider:') || metadata.schema_version < namesReport) return undefined;
  const route = auditedRoute(facts);
  if (event.data.report_version !== undefined || !route || !areNumbered(route.provider))
    return undefined;
  // A response with a lower number than a recorded report counts as one without (R13.20).
  if (facts.reportVersion !== undefined) return undefined;
  const window = facts.accepted?.expiresAt;
  const open = window === undefined ? 'has no end' : `ends at ${window}`;
  return `expired by ${actor} without a report of ${route.provider}, and its window ${open}`;
}
