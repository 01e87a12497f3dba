import {
  neverArrived,
  recordNeverTaken,
  recordNotFound,
} from '#shared/domain/operation/attempts/never-arrived.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { isTerminal, type Attempt, type Operation } from '#shared/domain/operation/state.ts';
import type { CallBounds, Providers } from '#shared/application/providers/connector.ts';
import { arrivedUntil } from '#shared/application/providers/facts.ts';
import { attemptRef } from './attempt-ref.ts';
import { handleAdmitted } from './handle.ts';
import type { Origin } from '../commands/origin.ts';
import { takeReport, type ReportPorts } from './take-report.ts';

export type AskPorts = ReportPorts & { providers: Providers };

/** `operation`: with everything that the provider reported. */
type Asked =
  /**
   * `holds`: the provider says that it has the attempt and has not ended it, or that money may
   * still go back.
   */
  | { outcome: 'taken'; operation: Operation; holds: boolean }
  /** The provider can't be asked, or does not know. */
  | { outcome: 'unknown'; cause: string }
  | { outcome: 'undecided'; cause: unknown };

/** Asks the provider about an attempt, and applies its answer to the operation. Safe to repeat. */
export async function askAttempt(
  { store, personal, providers }: AskPorts,
  { operation, attempt: known }: { operation: Operation; attempt: Attempt },
  { bounds, origin, now }: { bounds: CallBounds; origin: Origin; now(): number },
): Promise<Asked> {
  const { attempt, route } = known;
  const connector = providers.get(route.provider);
  if (!connector)
    return { outcome: 'unknown', cause: `no connector for provider ${route.provider}` };
  const { operationId } = operation;
  // Its answer says what was true when it was asked, not when the answer came.
  const askedMs = now();
  const said = await connector.ask(attemptRef(operation, known), bounds);
  if (said.outcome === 'unknown') return said;
  if (said.outcome === 'never_submitted') {
    // The provider has closed the key: a submission that still arrives under it is refused.
    const never = { attempt, reason: 'never_submitted' } as const;
    return takeRefusal({ store, operation, origin }, (state) => recordNeverTaken(state, never));
  }
  if (said.outcome === 'not_found') {
    const notFound = { attempt, arrivedUntilIso: arrivedUntil(connector, askedMs) };
    if (!neverArrived(operation, notFound)) return { outcome: 'unknown', cause: 'not found' };
    return takeRefusal({ store, operation, origin }, (state) => recordNotFound(state, notFound));
  }
  const { answer, report } = said;
  const beforeEnd = !isTerminal(operation.status);
  const given = { operationId, provider: route.provider, answer, report, beforeEnd };
  const taken = await takeReport({ store, personal }, given, origin);
  if (taken.outcome === 'undecided') return taken;
  if (taken.outcome !== 'taken')
    return {
      outcome: 'undecided',
      cause: new Error(`the report could not be taken: ${taken.outcome}`),
    };
  const holds =
    answer.outcome === 'accepted' && (report.status === 'open' || report.mayReturn === true);
  return { outcome: 'taken', operation: taken.operation, holds };
}

/** The provider never took the attempt, and never will. */
async function takeRefusal(
  target: Pick<AskPorts, 'store'> & { operation: Operation; origin: Origin },
  decide: (state: Operation) => { events: OperationEvent[] },
): Promise<Asked> {
  const result = await handleAdmitted(target, decide);
  if (result.outcome !== 'done')
    return { outcome: 'undecided', cause: 'cause' in result && result.cause };
  return { outcome: 'taken', operation: result.state, holds: false };
}
