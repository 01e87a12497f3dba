import {
  neverArrived,
  recordNeverTaken,
  recordNotFound,
} from '#shared/domain/operation/attempts/never-arrived.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { Attempt, Operation } from '#shared/domain/operation/state.ts';
import type { CallBounds, Providers } from '#shared/application/providers/connector.ts';
import { arrivedUntil } from '#shared/application/providers/facts.ts';
import { attemptRef } from './attempt-ref.ts';
import { handleAdmitted } from './handle.ts';
import type { Origin } from './origin.ts';
import { takeReport, type ReportPorts } from './take-report.ts';

export type AskPorts = ReportPorts & { providers: Providers };

/** `operation`: with all that the provider said. */
export type Asked =
  /** `holds`: by its own word it has the attempt, and has not ended it, or money may still go back. */
  | { outcome: 'taken'; operation: Operation; holds: boolean }
  /** The provider can't be asked, or can't say. */
  | { outcome: 'unknown'; cause: string }
  | { outcome: 'undecided'; cause: unknown };

/** Asks the provider what became of an attempt, and takes its word into the operation. Safe to repeat. */
export async function askAttempt(
  { store, personal, providers }: AskPorts,
  { operation, attempt: known }: { operation: Operation; attempt: Attempt },
  { bounds, origin, now }: { bounds: CallBounds; origin: Origin; now(): number },
): Promise<Asked> {
  const { attempt, route } = known;
  const connector = providers.get(route.provider);
  if (!connector) return { outcome: 'unknown', cause: `no connector for provider ${route.provider}` };
  const { operationId } = operation;
  // What it finds is as it was when it was asked.
  const askedMs = now();
  const said = await connector.ask(attemptRef(operation, known), bounds);
  if (said.outcome === 'unknown') return said;
  if (said.outcome === 'never_submitted') {
    // The key is spent: whoever still holds the submission comes too late with it.
    const never = { attempt, reason: 'never_submitted' } as const;
    return takeRefusal({ store, operation, origin }, (state) => recordNeverTaken(state, never));
  }
  if (said.outcome === 'not_found') {
    const notFound = { attempt, arrivedUntilIso: arrivedUntil(connector, askedMs) };
    if (!neverArrived(operation, notFound)) return { outcome: 'unknown', cause: 'not found' };
    return takeRefusal({ store, operation, origin }, (state) => recordNotFound(state, notFound));
  }
  const { answer, report } = said;
  const given = { operationId, provider: route.provider, answer, report };
  const taken = await takeReport({ store, personal }, given, origin);
  if (taken.outcome === 'undecided') return taken;
  if (taken.outcome !== 'taken')
    return { outcome: 'undecided', cause: new Error(`the report could not be taken: ${taken.outcome}`) };
  const holds = answer.outcome === 'accepted' && (report.status === 'open' || report.mayReturn === true);
  return { outcome: 'taken', operation: taken.operation, holds };
}

/** The provider has never taken the attempt, and never will. */
async function takeRefusal(
  target: Pick<AskPorts, 'store'> & { operation: Operation; origin: Origin },
  decide: (state: Operation) => { events: OperationEvent[] },
): Promise<Asked> {
  const result = await handleAdmitted(target, decide);
  if (result.outcome !== 'done') return { outcome: 'undecided', cause: 'cause' in result && result.cause };
  return { outcome: 'taken', operation: result.state, holds: false };
}
