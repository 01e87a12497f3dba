import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { Attempt, Operation } from '#shared/domain/operation/state.ts';
import type { CallBounds, Providers } from '#shared/application/providers/connector.ts';
import { handleAdmitted } from './handle.ts';
import type { Origin } from './origin.ts';
import { takeReport, type ReportPorts } from './take-report.ts';

export type AskPorts = ReportPorts & { providers: Providers };

/** `operation`: with all that the provider said. */
export type Asked =
  /** `holds`: by its own word it has the attempt, and has not ended it. */
  | { outcome: 'taken'; operation: Operation; holds: boolean }
  /** The provider can't be asked, or can't say. */
  | { outcome: 'unknown'; cause: string }
  | { outcome: 'undecided'; cause: unknown };

/** Asks the provider what became of an attempt, and takes its word into the operation. Safe to repeat. */
export async function askAttempt(
  { store, personal, providers }: AskPorts,
  { operation, attempt: { attempt, route } }: { operation: Operation; attempt: Attempt },
  { bounds, origin }: { bounds: CallBounds; origin: Origin },
): Promise<Asked> {
  const connector = providers.get(route.provider);
  if (!connector) return { outcome: 'unknown', cause: `no connector for provider ${route.provider}` };
  const { operationId } = operation;
  const known = await connector.ask({ operationId, attempt }, bounds);
  if (known.outcome === 'unknown') return known;
  if (known.outcome === 'never_submitted') return takeRefusal({ store, operation }, attempt, origin);
  const { answer, report } = known;
  const given = { operationId, provider: route.provider, answer, report };
  const taken = await takeReport({ store, personal }, given, origin);
  if (taken.outcome === 'undecided') return taken;
  if (taken.outcome !== 'taken')
    return { outcome: 'undecided', cause: new Error(`the report could not be taken: ${taken.outcome}`) };
  const holds = answer.outcome === 'accepted' && report.status === 'open';
  return { outcome: 'taken', operation: taken.operation, holds };
}

/** The key is spent: whoever still holds the submission comes too late with it. */
async function takeRefusal(
  { store, operation }: Pick<AskPorts, 'store'> & { operation: Operation },
  attempt: number,
  origin: Origin,
): Promise<Asked> {
  const answer = { outcome: 'refused', reason: 'never_submitted' } as const;
  const result = await handleAdmitted({ store, operation, origin }, (state) => {
    const decision = recordAnswer(state, { attempt, answer, routes: [], timeIsUp: true });
    return { events: 'refusal' in decision ? [] : decision.events };
  });
  if (result.outcome !== 'done') return { outcome: 'undecided', cause: 'cause' in result && result.cause };
  return { outcome: 'taken', operation: result.state, holds: false };
}
