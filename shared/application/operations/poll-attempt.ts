import { recordNeverReceived, recordNotFound } from '#shared/domain/operation/decisions.ts';
import { neverArrived } from '#shared/domain/operation/attempts/never-submitted.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { isTerminal, type Attempt, type Operation } from '#shared/domain/operation/state.ts';
import type { CallBounds, Providers } from '#shared/application/providers/connector.ts';
import { arrivedUntil } from '#shared/application/providers/facts.ts';
import { attemptRef } from '#shared/application/providers/connector.ts';
import { handleAdmitted } from './handle-operation.ts';
import type { Origin } from '../commands/origin.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import { lateFactsFold } from './streams.ts';
import { takeReport, type ReportPorts } from './take-report.ts';

export type PollPorts = ReportPorts & { providers: Providers };

/** `operation`: with everything that the provider reported. */
type PollResult =
  /**
   * `holds`: the provider reports that the attempt has not ended, or that money may still be
   * returned.
   */
  | { outcome: 'taken'; operation: Operation; holds: boolean }
  /**
   * The provider can't be polled, or its state is unknown, or may be older than the one recorded;
   * `holds`: it has accepted the attempt.
   */
  | { outcome: 'unknown'; cause: string; holds?: boolean }
  | { outcome: 'undecided'; cause: unknown };

/**
 * Polls the provider about an attempt, and applies its response to the operation. It submits
 * nothing, and is idempotent.
 */
export async function pollAttempt(
  { store, personal, providers }: PollPorts,
  { operation, attempt: target }: { operation: Operation; attempt: Attempt },
  { bounds, origin, now }: { bounds: CallBounds; origin: Origin; now(): number },
): Promise<PollResult> {
  const { attempt, route } = target;
  const connector = providers.get(route.provider);
  if (!connector)
    return { outcome: 'unknown', cause: `no connector for provider ${route.provider}` };
  const { operationId } = operation;
  const recorded = await readRecordedVersions(store, { operation, attempt }).catch(
    (cause: unknown) => ({ cause }),
  );
  if ('cause' in recorded) return { outcome: 'undecided', cause: recorded.cause };
  // The response shows the state at the time of the request, not of its receipt.
  const requestedMs = now();
  const response = await connector.ask(attemptRef(operation, target), bounds);
  if (response.outcome === 'unknown') return response;
  if (response.outcome === 'never_submitted') {
    // The provider has closed the key: a submission that still arrives under it is refused.
    const never = { attempt, reason: 'never_submitted' } as const;
    return recordRefusal({ store, operation, origin }, (state) =>
      recordNeverReceived(state, never),
    );
  }
  if (response.outcome === 'not_found') {
    const notFound = { attempt, arrivedUntilIso: arrivedUntil(connector, requestedMs) };
    if (!neverArrived(operation, notFound)) return { outcome: 'unknown', cause: 'not found' };
    return recordRefusal({ store, operation, origin }, (state) => recordNotFound(state, notFound));
  }
  const { answer } = response;
  const report = withSureVersion(response.report, recorded);
  const beforeEnd = !isTerminal(operation.status);
  const received = { operationId, provider: route.provider, answer, report, beforeEnd };
  const applied = await takeReport({ store, personal }, received, origin);
  if (applied.outcome === 'undecided') return applied;
  const isAccepted = answer.outcome === 'accepted';
  // Each poll would bring it again: an operator must be able to close what it leaves open. Also a
  // terminal status holds it, since the close would be without the money that was not recorded.
  if (applied.outcome === 'report_unnumbered' || applied.outcome === 'amount_invalid')
    return { outcome: 'unknown', cause: unappliedCauses[applied.outcome], holds: isAccepted };
  if (applied.outcome !== 'taken')
    return {
      outcome: 'undecided',
      cause: new Error(`the report could not be applied: ${applied.outcome}`),
    };
  const holds = isAccepted && (report.status === 'open' || report.mayReturn === true);
  return { outcome: 'taken', operation: applied.operation, holds };
}

const unappliedCauses = {
  report_unnumbered: 'its report has no version, and contradicts earlier ones',
  amount_invalid: 'its report has more decimals than its currency',
} as const;

/** The numbers of the newest reports on the attempt, of the operation and of its late facts. */
export async function readRecordedVersions(
  store: PollPorts['store'],
  { operation, attempt }: { operation: Operation; attempt: number },
): Promise<number[]> {
  const { accepted, operationId, reportVersion } = operation;
  const own = accepted?.attempt === attempt ? reportVersion : undefined;
  // An open operation has late facts too: of other attempts, or returns that exceed their leg.
  const facts = await store.read(lateStream(operationId));
  const late = foldStored(lateFactsFold, facts).versions[attempt];
  return [own, late].filter((version) => version !== undefined);
}

/**
 * A provider that is asked knows all that it has reported before. If the number of its response is
 * lower than a recorded one, that one is wrong: the response counts as one without a number, which
 * is taken unless it contradicts.
 */
export const withSureVersion = (
  report: ProviderReport,
  recorded: readonly number[],
): ProviderReport =>
  recorded.some((version) => version > (report.version ?? Infinity))
    ? { ...report, version: undefined }
    : report;

/** Records that the provider never accepted the attempt, and never will. */
async function recordRefusal(
  target: Pick<PollPorts, 'store'> & { operation: Operation; origin: Origin },
  decide: (state: Operation) => { events: OperationEvent[] },
): Promise<PollResult> {
  const result = await handleAdmitted(target, decide);
  if (result.outcome !== 'done')
    return { outcome: 'undecided', cause: 'cause' in result && result.cause };
  return { outcome: 'taken', operation: result.state, holds: false };
}
