import { operationStream } from '#shared/domain/operation/events.ts';
import { stepsOwed, type Owed, type Step, type UntracedStep } from '#shared/domain/operation/next-step.ts';
import { noOperation, type OperationState } from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/event-store/index.ts';
import { evolveStored } from '#shared/operations/streams.ts';
import type { Providers } from '#shared/providers/connector.ts';
import type { Claim, Verdict } from '../due/claims.ts';
import { retryAfter, silenceAfter, type Timings } from '../due/next-look.ts';
import type { Calls } from './calls.ts';
import { takeStep, type StepResult } from './steps.ts';

export type LookOptions = {
  store: EventStore;
  providers: Providers;
  calls: Calls;
  timings: Timings;
  now(): number;
  random(): number;
  onStep(step: Step['step'], outcome: StepResult['outcome']): void;
  signal: AbortSignal;
};

/** A provider's time for one answer. */
const callTimeoutMs = 5_000;
/** A step may bring the next one: a rejected create owes a withdrawal. */
const maxRounds = 3;

type Seen = { state: OperationState; last: StoredEvent | undefined };

/** Looks at one operation: does what it is owed, and says when to look again. @throws when the log can't be read */
export async function look(options: LookOptions, claim: Claim): Promise<Verdict> {
  const { timings, now } = options;
  let seen: Seen = await readOn(options.store, claim.operationId, { state: noOperation, last: undefined });
  let heardMs = claim.heardAt.getTime();
  let { asks } = claim;
  const done = new Set<UntracedStep>();
  for (let round = 0; round < maxRounds; round += 1) {
    if (seen.state.phase !== 'admitted' || !seen.last)
      throw new Error('an operation that is due has no events');
    heardMs = Math.max(heardMs, seen.last.created.getTime());
    const owed = stepsOwed(seen.state, {
      nowIso: iso(now() - timings.graceMs),
      heardIso: iso(heardMs - timings.graceMs),
      silent: now() >= heardMs + silenceAfter(asks, timings),
      settledDown: now() >= seen.last.created.getTime() + timings.graceMs,
      done,
    });
    if (owed.steps.length === 0) return plan(seen.state, owed, { ...claim, heardMs, asks, timings });
    const left = await takeSteps(options, { state: seen.state, last: seen.last }, owed.steps);
    const before = seen.state.revision;
    seen = await readOn(options.store, claim.operationId, seen);
    const asked = owed.steps.some(({ step }) => step === 'ask') && !left.some(({ step }) => step === 'ask');
    if (asked) {
      heardMs = now();
      asks = seen.state.revision > before ? 0 : asks + 1;
    }
    if (left.length > 0) return retry(seen.state, { owed, left }, { ...claim, heardMs, asks, options });
  }
  const next = { dueAt: new Date(now()), heardAt: new Date(heardMs), asks, tries: 0 };
  return { revision: seen.state.revision, next };
}

/** A step that could not be taken. */
type Left = { step: Step['step']; result: Exclude<StepResult, { outcome: 'done' }> };

async function takeSteps(
  { store, providers, calls, now, signal, onStep }: LookOptions,
  { state, last }: { state: Extract<OperationState, { phase: 'admitted' }>; last: StoredEvent },
  steps: readonly Step[],
): Promise<Left[]> {
  const origin = {
    actor: 'service:processor',
    correlationId: last.metadata.correlation_id,
    causationId: last.id,
  };
  const context = {
    store,
    providers,
    calls,
    operation: state,
    origin,
    now,
    bounds: { timeoutMs: callTimeoutMs, signal },
  };
  const results = await Promise.all(
    steps.map(async (step) => {
      const result = await takeStep(context, step);
      onStep(step.step, result.outcome);
      return result.outcome === 'done' ? [] : [{ step: step.step, result }];
    }),
  );
  return results.flat();
}

/** Nothing is owed now: until when that holds, or for good. */
function plan(
  state: OperationState,
  owed: Owed,
  known: { heardMs: number; asks: number; timings: Timings },
): Verdict {
  const { heardMs, asks, timings } = known;
  const dueMs = Math.min(
    owed.deadlineIso === undefined ? Infinity : Date.parse(owed.deadlineIso) + timings.graceMs,
    owed.awaitsReport ? heardMs + silenceAfter(asks, timings) : Infinity,
  );
  if (dueMs === Infinity) return { revision: state.revision };
  const next = { dueAt: new Date(dueMs), heardAt: new Date(heardMs), asks, tries: 0 };
  return { revision: state.revision, next };
}

function retry(
  state: OperationState,
  { owed, left }: { owed: Owed; left: readonly Left[] },
  known: { heardMs: number; asks: number; tries: number; options: LookOptions },
): Verdict {
  const { timings, now, random } = known.options;
  const pausesMs = left.map(({ result }) =>
    result.outcome === 'busy' ? result.retryMs : retryAfter(known.tries, timings, random()),
  );
  const retryMs = now() + Math.min(...pausesMs);
  const failures = left.flatMap(({ step, result }) =>
    result.outcome === 'failed' ? [`${step}: ${result.reason}`] : [],
  );
  const deadlineMs =
    owed.deadlineIso === undefined ? Infinity : Date.parse(owed.deadlineIso) + timings.graceMs;
  return {
    revision: state.revision,
    next: {
      dueAt: new Date(Math.min(retryMs, deadlineMs)),
      heardAt: new Date(known.heardMs),
      asks: known.asks,
      // Whoever was only turned away has not failed.
      tries: known.tries + (failures.length > 0 ? 1 : 0),
      error: failures[0],
    },
  };
}

async function readOn(store: EventStore, operationId: string, from: Seen): Promise<Seen> {
  const events = await store.read(operationStream(operationId), { fromRevision: from.state.revision + 1 });
  return {
    state: events.reduce<OperationState>(evolveStored, from.state),
    last: events.at(-1) ?? from.last,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
