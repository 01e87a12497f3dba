import { operationStream } from '#shared/domain/operation/events.ts';
import { receiptToSubmit } from '#shared/domain/operation/receipt/upload.ts';
import { unsupportedBy } from '#shared/application/providers/facts.ts';
import {
  pollsProvider,
  addsEvent,
  dueSteps,
  type StepTimes,
  type DueSteps,
  type DueStep,
} from '#shared/domain/operation/due-steps/steps.ts';
import type { PollToEnd } from '#shared/domain/operation/due-steps/poll-to-end.ts';
import {
  noOperation,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import {
  foldStored,
  type EventStore,
  type StoredEvent,
} from '#shared/platform/event-store/index.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { ledgerEntries } from '#shared/application/operations/post-entries.ts';
import { operations } from '#shared/application/operations/streams.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { currentTraceparent, inSpan } from '#shared/platform/tracing/tracing.ts';
import type { DueRow, WorkResult } from '../due/due-queue.ts';
import { retryAfter, silenceBeforePoll, type Timings } from '../due/timings.ts';
import {
  endedByProviderDone,
  overchargeDone,
  runDueStep,
  type Calls,
  type StepResult,
} from '#shared/application/operations/run-due-step.ts';

export type WorkOptions = {
  store: EventStore;
  providers: Providers;
  personal: ReportSealers;
  ledgers: Pick<Ledgers, 'post' | 'isPosted'>;
  receipts: Pick<ReceiptStore, 'get'>;
  calls: Calls;
  logger: Pick<Logger, 'warn'>;
  timings: Timings;
  now(): number;
  random(): number;
  onStep(step: DueStep['step'] | 'post_suspense', outcome: StepResult['outcome']): void;
  signal: AbortSignal;
};

/** How long a provider may take for one response. */
const callTimeoutMs = 5_000;
/**
 * One step may make the next one due: after a rejected create a withdrawal, after a terminal status
 * the ledger entries.
 */
const maxRounds = 4;

type LoadedOperation = { state: OperationState; events: readonly StoredEvent[] };
type AdmittedOperation = { state: Operation; events: readonly StoredEvent[]; last: StoredEvent };
/** The processor's state of an operation outside of the log. */
type Progress = {
  lastActivityMs: number;
  pollsWithoutChange: number;
  tries: number;
  done: Set<string>;
};
/**
 * Runs the due steps of one operation, and returns when it is due next.
 * @throws when the log can't be read
 */
export async function workOnOperation(
  options: WorkOptions,
  operationId: string,
  claim: DueRow,
): Promise<WorkResult> {
  const { timings, now } = options;
  let latest = await readFirst(options.store, operationId, claim.revision);
  const progress: Progress = {
    lastActivityMs: claim.lastActivityMs,
    pollsWithoutChange: claim.pollsWithoutChange,
    tries: claim.tries,
    done: new Set(claim.done),
  };
  for (let round = 0; round < maxRounds; round += 1) {
    const { state, events } = latest;
    const last = events.at(-1);
    if (state.phase !== 'admitted' || !last)
      throw new Error('an operation that is due has no events');
    progress.lastActivityMs = Math.max(progress.lastActivityMs, last.created.getTime());
    const polling = createPollToEnd(options.providers, state, progress);
    const silenceMs = silenceBeforePoll(state, { ...options, ...progress, polling });
    const due = dueSteps(state, {
      nowIso: iso(now() - timings.graceMs),
      lastActivityIso: iso(progress.lastActivityMs - timings.graceMs),
      silent: now() >= progress.lastActivityMs + silenceMs,
      quiet: now() >= quietFromMs(last, timings),
      done: doneWithoutEvent(state, events, progress.done),
      ...polling,
    });
    if (due.steps.length === 0)
      return plan({ state, events, last }, due, { progress, timings, silenceMs });
    const unfinished = await runSteps(
      options,
      { state, events, last },
      { steps: due.steps, progress },
    );
    if (due.steps.some(({ step }) => addsEvent(step)))
      latest = await readNewer(options.store, operationId, latest);
    const polled = due.steps.some(pollsProvider) && !unfinished.some(pollsProvider);
    if (polled) {
      progress.lastActivityMs = now();
      progress.pollsWithoutChange =
        latest.state.revision > state.revision ? 0 : progress.pollsWithoutChange + 1;
    }
    if (unfinished.length > 0)
      return retry(latest.state, { due, unfinished }, { progress, options });
  }
  return { revision: latest.state.revision, next: { ...toNextDue(progress, now()), tries: 0 } };
}

function createPollToEnd(
  providers: Providers,
  { attempts }: Operation,
  { done }: Progress,
): PollToEnd {
  const endedByProvider = attempts
    .map(({ attempt }) => attempt)
    .filter((attempt) => done.has(endedByProviderDone(attempt)));
  return { unsupported: unsupportedBy(providers), endedByProvider: new Set(endedByProvider) };
}

function doneWithoutEvent(
  state: Operation,
  events: readonly StoredEvent[],
  done: ReadonlySet<string>,
): StepTimes['done'] {
  const steps = new Set<'post' | 'record_overcharge'>();
  if (done.has(overchargeDone)) steps.add('record_overcharge');
  if (ledgerEntries(state, events, 'service:processor').every(({ key }) => done.has(key)))
    steps.add('post');
  return steps;
}

/** A step that failed, could not be tried, or waits for its provider to decide. */
type UnfinishedStep = { step: DueStep['step']; result: Exclude<StepResult, { outcome: 'done' }> };

async function runSteps(
  { now, signal, onStep, ...options }: WorkOptions,
  { state, events, last }: AdmittedOperation,
  { steps, progress: { done, tries } }: { steps: readonly DueStep[]; progress: Progress },
): Promise<UnfinishedStep[]> {
  const origin = {
    actor: 'service:processor',
    correlationId: last.metadata.correlation_id,
    causationId: last.id,
  };
  const { traceparent } = last.metadata;
  const bounds = { timeoutMs: callTimeoutMs, signal };
  const context = { ...options, operation: state, events, done, tries, now, bounds };
  const results = await Promise.all(
    steps.map(async (step) => {
      const describe = () => ({
        name: `processor ${step.step}`,
        kind: 'consumer' as const,
        traceparent,
        attributes: { 'gateway.operation_id': state.operationId, 'gateway.tries': tries },
      });
      const result = await inSpan(describe, async (span) => {
        const outcome = await runDueStep(
          { ...context, origin: { ...origin, traceparent: currentTraceparent() ?? traceparent } },
          step,
        );
        span?.set({ 'gateway.outcome': outcome.outcome });
        return outcome;
      });
      onStep(step.step, result.outcome);
      return result.outcome === 'done' ? [] : [{ step: step.step, result }];
    }),
  );
  return results.flat();
}

/** No step is due now: returns when the next one will be, if any. */
function plan(
  { state, last }: AdmittedOperation,
  due: DueSteps,
  { progress, timings, silenceMs }: { progress: Progress; timings: Timings; silenceMs: number },
): WorkResult {
  const dueMs = Math.min(
    computeDeadlineMs(due, timings),
    due.awaitsReport ? progress.lastActivityMs + silenceMs : Infinity,
    // The process that took the receipt submits it first.
    receiptToSubmit(state) === undefined ? Infinity : quietFromMs(last, timings),
  );
  if (dueMs === Infinity) return { revision: state.revision };
  return { revision: state.revision, next: { ...toNextDue(progress, dueMs), tries: 0 } };
}

function retry(
  state: OperationState,
  { due, unfinished }: { due: DueSteps; unfinished: readonly UnfinishedStep[] },
  { progress, options }: { progress: Progress; options: WorkOptions },
): WorkResult {
  const { timings, now, random } = options;
  const pausesMs = unfinished.map(({ step, result }) => {
    if (result.outcome === 'busy') return result.retryMs;
    // After the end no caller waits for the answer.
    const longest = step === 'poll_to_end' ? timings.longestSilenceMs : timings.longestRetryMs;
    // A provider is configured by a restart, after which the operation is due at once.
    const first = result.outcome === 'absent' ? timings.longestSilenceMs : timings.retryMs;
    const longestRetryMs = Math.max(first, longest);
    return retryAfter(progress.tries, { ...timings, retryMs: first, longestRetryMs }, random());
  });
  const retryMs = now() + Math.min(...pausesMs);
  const firstReason = (outcome: 'failed' | 'pending') =>
    unfinished.flatMap(({ step, result }) =>
      result.outcome === outcome ? [`${step}: ${result.reason}`] : [],
    )[0];
  const absent = unfinished.flatMap(({ step, result }) =>
    result.outcome === 'absent' ? [{ step, provider: result.provider }] : [],
  )[0];
  const [failed, pending] = [firstReason('failed'), firstReason('pending')];
  const failure =
    failed ?? (absent && `${absent.step}: provider ${absent.provider} is not configured`);
  return {
    revision: state.revision,
    failure,
    next: {
      ...toNextDue(progress, Math.min(retryMs, computeDeadlineMs(due, timings))),
      // A step that was only deferred (`busy`) was not tried.
      tries: progress.tries + ((failed ?? pending) === undefined ? 0 : 1),
      error: failure ?? pending,
      waitsFor: absent?.provider,
    },
  };
}

function toNextDue({ lastActivityMs, pollsWithoutChange, done }: Progress, dueMs: number) {
  return { dueMs, lastActivityMs, pollsWithoutChange, done: [...done] };
}

const computeDeadlineMs = ({ deadlineIso }: DueSteps, { graceMs }: Timings) =>
  deadlineIso === undefined ? Infinity : Date.parse(deadlineIso) + graceMs;

const quietFromMs = (last: StoredEvent, { graceMs }: Timings) => last.created.getTime() + graceMs;

/**
 * Usually this process has just received the event that made the operation due, and all earlier
 * ones: then nothing is read.
 */
async function readFirst(
  store: EventStore,
  operationId: string,
  revision: number,
): Promise<LoadedOperation> {
  const recent = store.recent(operationStream(operationId));
  const first = { state: noOperation, events: [] };
  return recent && recent.length > revision
    ? fold(first, recent)
    : readNewer(store, operationId, first);
}

async function readNewer(
  store: EventStore,
  operationId: string,
  { state, events }: LoadedOperation,
): Promise<LoadedOperation> {
  const more = await store.read(operationStream(operationId), { fromRevision: state.revision + 1 });
  return fold({ state, events }, more);
}

const fold = (
  { state, events }: LoadedOperation,
  more: readonly StoredEvent[],
): LoadedOperation => ({
  state: foldStored(operations, more, state),
  events: [...events, ...more],
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
