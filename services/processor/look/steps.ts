import { noteWithdrawal, rejectAbandoned } from '#shared/domain/operation/create.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { Step } from '#shared/domain/operation/next-step.ts';
import { expire } from '#shared/domain/operation/settle.ts';
import {
  isTerminal,
  type Attempt,
  type Operation,
  type OperationState,
} from '#shared/domain/operation/state.ts';
import { handleCommand, type EventStore } from '#shared/event-store/index.ts';
import type { Origin } from '#shared/operations/origin.ts';
import { evolveStored, toNewEvents } from '#shared/operations/streams.ts';
import type { CallBounds, Providers } from '#shared/providers/connector.ts';
import { takeReport } from '#shared/operations/take-report.ts';
import type { Busy, Calls } from './calls.ts';

export type StepContext = {
  store: EventStore;
  providers: Providers;
  operation: Operation;
  origin: Origin;
  now(): number;
  bounds: CallBounds;
  calls: Calls;
};

/** `failed`: to be tried again later, because somebody did not answer. `busy`: not tried yet. */
export type StepResult = { outcome: 'done' } | { outcome: 'failed'; reason: string } | Busy;

const done: StepResult = { outcome: 'done' };
const failed = (reason: string): StepResult => ({ outcome: 'failed', reason });

/** Does one step that an operation is owed. Safe to repeat, and to do in two processes at once. */
export async function takeStep(context: StepContext, step: Step): Promise<StepResult> {
  switch (step.step) {
    case 'reject':
      return append(context, (state) => rejectAbandoned(state, nowIso(context)));
    case 'withdraw':
      return context.calls.run(step.attempt.route.provider, () => withdraw(context, step.attempt));
    case 'ask':
      return context.calls.run(step.attempt.route.provider, () => ask(context, step));
  }
}

async function withdraw(context: StepContext, { attempt, route }: Attempt): Promise<StepResult> {
  const connector = context.providers.get(route.provider);
  if (!connector) return failed(`no connector for provider ${route.provider}`);
  const key = { operationId: context.operation.operationId, attempt };
  const withdrawal = await connector.withdraw(key, context.bounds);
  if (withdrawal.outcome === 'unknown') return failed(withdrawal.cause);
  const { answer, report } = withdrawal;
  // Money that came for it all the same is a late fact, whether or not the provider let go of the attempt.
  const taken = await take(context, { provider: route.provider, answer, report });
  if (taken.outcome === 'failed') return taken;
  return append(context, (state) => noteWithdrawal(state, attempt));
}

async function ask(context: StepContext, step: Extract<Step, { step: 'ask' }>): Promise<StepResult> {
  const { attempt, route } = step.attempt;
  const connector = context.providers.get(route.provider);
  if (!connector) return failed(`no connector for provider ${route.provider}`);
  const known = await connector.ask({ operationId: context.operation.operationId, attempt }, context.bounds);
  if (known.outcome === 'unknown') return failed(known.cause);
  if (known.outcome === 'known') {
    const taken = await take(context, {
      provider: route.provider,
      answer: known.answer,
      report: known.report,
    });
    if (taken.outcome === 'failed' || isTerminal(taken.operation.status)) return taken;
  }
  // The provider was asked whether money came, and knows of none: only now the window's end is the payment's.
  return step.about === 'expiry' ? append(context, (state) => expire(state, nowIso(context))) : done;
}

async function take(
  { store, operation, origin }: StepContext,
  report: Omit<Parameters<typeof takeReport>[1], 'operationId'>,
): Promise<{ outcome: 'done'; operation: Operation } | { outcome: 'failed'; reason: string }> {
  const taken = await takeReport(store, { operationId: operation.operationId, ...report }, origin);
  if (taken.outcome === 'taken') return { outcome: 'done', operation: taken.operation };
  return { outcome: 'failed', reason: `the report could not be taken: ${taken.outcome}` };
}

async function append(
  { store, operation, origin }: StepContext,
  decide: (state: OperationState) => { events: OperationEvent[] },
): Promise<StepResult> {
  const result = await handleCommand<OperationState>({
    store,
    stream: operationStream(operation.operationId),
    state: operation,
    readFirst: false,
    evolve: evolveStored,
    decide: (state) => ({ events: toNewEvents(decide(state).events, origin) }),
  });
  return result.outcome === 'done' ? done : failed(`the event store did not decide: ${reasonOf(result)}`);
}

function reasonOf(result: { outcome: string; cause?: unknown }): string {
  return result.cause instanceof Error ? result.cause.message : result.outcome;
}

function nowIso({ now }: StepContext): string {
  return new Date(now()).toISOString();
}
