import { lateStream } from '#shared/domain/late/events.ts';
import { recordLate } from '#shared/domain/late/record.ts';
import type { LateState } from '#shared/domain/late/state.ts';
import {
  recordAnswer,
  type AttemptAnswer,
  type ProviderAnswer,
} from '#shared/domain/operation/attempts/provider-answer.ts';
import { accountOf } from '#shared/domain/provider/accounts.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import { isAcceptedAndOpen, type ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { LateFact } from '#shared/domain/operation/reports/late-facts.ts';
import { attemptOf, type Operation, type OperationState } from '#shared/domain/operation/state.ts';
import {
  foldStored,
  type EventMetadata,
  type EventStore,
} from '#shared/platform/event-store/index.ts';
import type { Sealing } from '#shared/application/personal-data/personal-data.ts';
import type { SignedReport } from '#shared/application/personal-data/kept-report.ts';
import type { Origin } from '../commands/origin.ts';
import { handle } from '#shared/application/commands/handle.ts';
import { admitted } from './handle.ts';
import {
  callbackOf,
  findSeals,
  findSealsThatExist,
  sealedAnswer,
  withSeals,
  type Seals,
} from './seal-report.ts';
import { lateFacts, operations } from './streams.ts';

type TakenReport =
  /**
   * Everything in the report is in the log; `unreadable`: without its callback, because the
   * client's key can't be read.
   */
  | { outcome: 'taken'; operation: Operation; unreadable?: true }
  /** This attempt was never submitted to this provider. */
  | { outcome: 'unknown_operation' }
  /** Its create is still in progress, and must record the provider's response first. */
  | { outcome: 'too_early' }
  | { outcome: 'undecided'; cause: unknown };

type ReceivedReport = {
  operationId: string;
  provider: string;
  /**
   * The account whose secret signed the callback: it may only report on that account's attempts.
   */
  account?: string;
  /** The outcome of the submission. */
  answer: ProviderAnswer;
  report: ProviderReport;
  /**
   * Requested before the operation was terminal, so a terminal status in it may only mean that the
   * payment window was over: approved money may still be received.
   */
  beforeEnd?: boolean;
  /** The callback, to be stored with the first event; undefined if the provider was polled. */
  signed?: SignedReport;
};

/** The origin of a report's events, as far as it depends on the operation's create. */
type ReportOrigin = (begun: EventMetadata | undefined) => Origin;

/** The dependencies of `takeReport`. */
export type ReportPorts = { store: EventStore; personal: Sealing };

/**
 * Applies a provider's report on an attempt to the operation; late facts are recorded in its
 * `late-` stream (R13.7). Idempotent: a report is complete, so one that was applied before adds
 * nothing.
 */
export async function takeReport(
  { store, personal }: ReportPorts,
  received: ReceivedReport,
  from: Origin | ReportOrigin,
): Promise<TakenReport> {
  const { operationId, report: reported, signed, beforeEnd = false } = received;
  let begun: EventMetadata | undefined;
  let late: LateFact[] = [];
  let afterwards = false;
  let seals: Seals | undefined;
  const origin = () => (typeof from === 'function' ? from(begun) : from);
  const report = () => callbackOf(operationId, signed, seals);
  const find = async (state: OperationState) =>
    void (seals = await findSeals(personal, admitted(state)));
  const mustSeal = (events: readonly object[]) => events.length > 0 && signed && !seals;
  const folding: typeof operations = {
    ...operations,
    evolve: (state, event, stored) => {
      begun ??= stored.metadata;
      return operations.evolve(state, event, stored);
    },
  };
  const stream = operationStream(operationId);
  const decideFrom = (current: OperationState | undefined) =>
    handle({ store, stream, folding, known: current, origin, report }, (state) => {
      const decision = decide(state, received, seals);
      if ('refusal' in decision) return decision;
      ({ late, afterwards } = decision);
      return mustSeal(decision.events) ? refuse('to_be_sealed') : { events: decision.events };
    });
  const recent = store.recent(stream);
  const findExisting = async (state: OperationState) =>
    void (seals = await findSealsThatExist(personal, admitted(state)));
  let result =
    recent &&
    (await withSeals<OperationState, ReportRefusal>(
      decideFrom,
      foldStored(folding, recent),
      findExisting,
    ));
  // The state in memory may lack the newest events. Deciding on it is safe because the append
  // checks the revision.
  if (result?.outcome !== 'done' || result.events.length === 0)
    result = await withSeals<OperationState, ReportRefusal>(decideFrom, undefined, find);
  if (result.outcome === 'undecided') return result;
  if (result.outcome === 'refused') return { outcome: result.refusal };
  const operation = result.state;
  if (operation.phase !== 'admitted') return { outcome: 'unknown_operation' };
  // Also without a late fact: a leg reported before, or its return, may have been corrected.
  if (afterwards || late.length > 0 || operation.returns.length > 0) {
    const target = { store, stream: lateStream(operationId), folding: lateFacts, origin, report };
    const recordFrom = (current: LateState | undefined) =>
      handle({ ...target, known: current }, (state) => {
        const decision = recordLate(state, {
          operation,
          report: reported,
          facts: late,
          beforeEnd,
        });
        return mustSeal(decision.events) ? refuse('to_be_sealed') : decision;
      });
    const recorded = await withSeals<LateState, never>(recordFrom, undefined, () =>
      find(operation),
    );
    if (recorded.outcome === 'undecided') return recorded;
  }
  return { outcome: 'taken', operation, ...(seals?.unreadable && { unreadable: true }) };
}

type ReportRefusal = 'unknown_operation' | 'too_early';
const refuse = <Code extends ReportRefusal | 'to_be_sealed'>(refusal: Code) => ({ refusal });

/**
 * `late`: facts that the operation itself can't record; `afterwards`: it uses another attempt, or
 * is terminal.
 */
type Decided = { events: OperationEvent[]; late: LateFact[]; afterwards: boolean };

function decide(
  state: OperationState,
  { provider, account, answer: reported, report }: ReceivedReport,
  seals: Seals | undefined,
): Decided | { refusal: ReportRefusal | 'to_be_sealed' } {
  const attempt = state.phase === 'admitted' ? attemptOf(state, report.attempt) : undefined;
  // A provider may report only on its own attempts, and an account only on those that were made
  // with it.
  if (state.phase !== 'admitted' || attempt?.route.provider !== provider)
    return refuse('unknown_operation');
  if (account !== undefined && accountOf(attempt.route) !== account)
    return refuse('unknown_operation');
  const answer = sealedAnswer(state, { attempt: report.attempt, answer: reported }, seals);
  if (answer === 'to_be_sealed') return refuse(answer);
  const answered = answer ? takeAnswer(state, report.attempt, answer) : [];
  // While the create is in progress, only it records refusals, because it has the remaining routes.
  const early = state.status === 'creating' && attempt.outcome === 'started';
  if (early && !answered.some(({ type }) => type === 'AttemptAccepted')) return refuse('too_early');
  const current = fold(answered, state);
  const { events, late } = applyReport(current, report);
  const afterwards = current.phase === 'admitted' && !isAcceptedAndOpen(current, report.attempt);
  return { events: [...answered, ...events], late, afterwards };
}

/**
 * The callback was received before the provider's response, or the response was lost with its
 * process, or the outcome of a payout was unknown until now.
 */
function takeAnswer(
  state: OperationState,
  attempt: number,
  answer: AttemptAnswer,
): OperationEvent[] {
  const decision = recordAnswer(state, { attempt, answer, routes: [], timeIsUp: false });
  return 'events' in decision ? decision.events : [];
}
