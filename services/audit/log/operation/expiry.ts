import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { graceMs } from '../../authority/commands.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { routeOf, type OperationFacts } from './fold.ts';

/** Events of this version on name the report that they came of. */
const namesReport = 2;

/** Whether a payment expired although its window was open, which only its provider can report. */
export const isEarly = ({ accepted }: OperationFacts, atMs: number): boolean =>
  accepted?.expiresAt === undefined || atMs + graceMs < Date.parse(accepted.expiresAt);

/**
 * Why a payment can't have expired now: its window is open, and its provider did not report it
 * (R6.7).
 */
export function whyNotExpired(
  facts: OperationFacts,
  {
    event,
    envelope,
    areNumbered,
  }: { event: OperationEvent; envelope: EventEnvelope; areNumbered(provider: string): boolean },
): string | undefined {
  if (event.type !== 'OperationExpired' || !isEarly(facts, envelope.atMs)) return undefined;
  const { actor, metadata } = envelope;
  if (actor.startsWith('provider:') || metadata.schema_version < namesReport) return undefined;
  const route = routeOf(facts);
  if (event.data.report_version !== undefined || !route || !areNumbered(route.provider))
    return undefined;
  const window = facts.accepted?.expiresAt;
  const open = window === undefined ? 'has no end' : `ends at ${window}`;
  return `expired by ${actor} without a report of ${route.provider}, and its window ${open}`;
}
