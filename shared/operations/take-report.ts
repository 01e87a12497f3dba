import { lateStream } from '#shared/domain/late/events.ts';
import { recordLate, type LateReport } from '#shared/domain/late/record.ts';
import {
  answerIsAwaited,
  recordAnswer,
  type AttemptAnswer,
  type ProviderAnswer,
} from '#shared/domain/operation/create.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport, goesBy, type LateFact, type ProviderReport } from '#shared/domain/operation/settle.ts';
import { attemptOf, type Operation, type OperationState } from '#shared/domain/operation/state.ts';
import { foldStored, type EventMetadata, type EventStore } from '#shared/event-store/index.ts';
import type { PersonalData } from '#shared/personal-data/personal-data.ts';
import type { Origin } from './origin.ts';
import { handle } from './handle.ts';
import { lateFacts, operations } from './streams.ts';

export type TakenReport =
  /** All that the report says is in the log. */
  | { outcome: 'taken'; operation: Operation }
  /** Nobody submitted this attempt to this provider. */
  | { outcome: 'unknown_operation' }
  /** Its create is still under way, and has yet to take what the provider answered. */
  | { outcome: 'too_early' }
  | { outcome: 'undecided'; cause: unknown };

export type GivenReport = {
  operationId: string;
  provider: string;
  /** What became of the submission. */
  answer: ProviderAnswer;
  report: ProviderReport;
};

/** Where a report's events come from, where that depends on how the operation began. */
export type ReportOrigin = (begun: EventMetadata | undefined) => Origin;

/** What a report is taken with. */
export type ReportPorts = { store: EventStore; personal: Pick<PersonalData, 'sealer'> };

/**
 * Takes what a provider says of an attempt into the operation, and what comes after its end into its `late-` stream
 * (R13.7). Safe to repeat: a report tells everything, so one that was taken before adds nothing.
 */
export async function takeReport(
  { store, personal }: ReportPorts,
  { operationId, provider, answer: said, report }: GivenReport,
  given: Origin | ReportOrigin,
): Promise<TakenReport> {
  let begun: EventMetadata | undefined;
  const originNow = () => (typeof given === 'function' ? given(begun) : given);
  let late: LateFact[] = [];
  let afterwards = false;
  // Mostly the answer was taken before, and nothing of it is needed: then no key is looked for.
  let answer: AttemptAnswer | 'to_be_sealed' =
    said.outcome === 'accepted' && said.requisites ? 'to_be_sealed' : said;
  const folding: typeof operations = {
    ...operations,
    evolve: (state, event, stored) => {
      begun ??= stored.metadata;
      return operations.evolve(state, event, stored);
    },
  };
  const stream = operationStream(operationId);
  const decideFrom = (known: OperationState | undefined) =>
    handle({ store, stream, folding, known, origin: originNow }, (state) => {
      const attempt = state.phase === 'admitted' ? attemptOf(state, report.attempt) : undefined;
      // One provider's word counts for its own attempts only.
      if (state.phase !== 'admitted' || attempt?.route.provider !== provider)
        return refuse('unknown_operation');
      if (answer === 'to_be_sealed' && answerIsAwaited(state, report.attempt)) return refuse('to_be_sealed');
      const answered = answer === 'to_be_sealed' ? [] : takeAnswer(state, report.attempt, answer);
      // While its create is under way all but an acceptance is for that to take: it knows the routes that are left.
      const early = state.status === 'creating' && attempt.outcome === 'started';
      if (early && !answered.some(({ type }) => type === 'AttemptAccepted')) return refuse('too_early');
      const current = fold(answered, state);
      afterwards = current.phase === 'admitted' && !goesBy(current, report.attempt);
      const decision = applyReport(current, report);
      late = decision.late;
      return { events: [...answered, ...decision.events] };
    });
  const recent = store.recent(stream);
  let result = recent && (await decideFrom(foldStored(folding, recent)));
  // What has come by here may lack the newest: it may be added to, because the revision is checked, and no more.
  if (result?.outcome !== 'done' || result.events.length === 0) result = await decideFrom(undefined);
  if (result.outcome === 'refused' && result.refusal === 'to_be_sealed') {
    const { state } = result;
    try {
      answer = await sealed(personal, state, { attempt: report.attempt, answer: said });
    } catch (cause) {
      return { outcome: 'undecided', cause };
    }
    result = await decideFrom(state);
  }
  if (result.outcome === 'undecided') return result;
  if (result.outcome === 'refused') {
    if (result.refusal === 'to_be_sealed') throw new Error('an answer that was sealed is to be sealed');
    return { outcome: result.refusal };
  }
  if (result.state.phase !== 'admitted') return { outcome: 'unknown_operation' };
  // Without a fact, too: a leg may have been corrected that stands since.
  if (afterwards) {
    const kept = await keepLate(store, { operation: result.state, report, facts: late }, originNow());
    if (kept.outcome === 'undecided') return kept;
  }
  return { outcome: 'taken', operation: result.state };
}

const refuse = <Code extends 'unknown_operation' | 'too_early' | 'to_be_sealed'>(refusal: Code) => ({
  refusal,
});

/** @throws when the store does not say with which key */
async function sealed(
  personal: ReportPorts['personal'],
  state: OperationState,
  { attempt, answer }: { attempt: number; answer: ProviderAnswer },
): Promise<AttemptAnswer> {
  if (state.phase !== 'admitted') throw new Error('an answer is awaited by what was admitted');
  const { operationId, shopId, request } = state;
  const sealer = await personal.sealer({ shopId, clientId: request.client_id });
  return sealer.answer({ operationId, attempt }, answer);
}

/**
 * The provider's callback was quicker than its own answer, or that was lost with the process that waited for it, or a
 * payout's outcome was not known until now.
 */
function takeAnswer(state: OperationState, attempt: number, answer: AttemptAnswer): OperationEvent[] {
  const decision = recordAnswer(state, { attempt, answer, routes: [], timeIsUp: false });
  return 'events' in decision ? decision.events : [];
}

function keepLate(store: EventStore, late: LateReport, origin: Origin) {
  const stream = lateStream(late.operation.operationId);
  return handle({ store, stream, folding: lateFacts, origin }, (state) => recordLate(state, late));
}
