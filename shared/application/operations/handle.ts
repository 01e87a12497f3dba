import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import {
  handleCommand,
  type CommandResult,
  type Decision,
  type Folding,
  type RefusalOf,
} from '#shared/platform/event-store/handle-command.ts';
import type { EventStore, KeptReport } from '#shared/platform/event-store/index.ts';
import type { Origin } from './origin.ts';
import { toNewEvent } from './new-events.ts';
import { operations } from './streams.ts';

type DomainEvent = { type: string; data: object };

/** The stream that a command decides on. */
export type Target<State, Event> = {
  store: EventStore;
  stream: string;
  folding: Folding<State, Event>;
  /** The state that the caller holds: decided on before anything is read. Without it the stream is read first. */
  known?: State | undefined;
  /** Whose doing the events are; asked anew for each try. */
  origin: Origin | (() => Origin);
  /** The callback that they come of; stands beside the first of them. */
  report?: () => KeptReport | undefined;
  deadlineMs?: number | undefined;
};

/**
 * The one door to a stream: folds it, decides, and appends what was decided at the revision that was folded. Where
 * somebody else was first, it reads what they did and decides again.
 */
export function handle<
  State extends { revision: number },
  Event extends DomainEvent,
  D extends Decision<Event>,
>(
  { origin, report, ...target }: Target<State, Event>,
  decide: (state: State) => D,
): Promise<CommandResult<State, RefusalOf<D>>> {
  const write = (event: Event, index: number) =>
    toNewEvent(
      event,
      typeof origin === 'function' ? origin() : origin,
      // Once is enough for an auditor, and it is as long as the event.
      index === 0 ? report?.() : undefined,
    );
  return handleCommand<State, Event, D>({ ...target, write, decide });
}

type OperationTarget = Pick<Target<OperationState, OperationEvent>, 'store' | 'origin' | 'deadlineMs'>;

/** `handle` for an operation, which may not be there yet. */
export function handleOperation<D extends Decision<OperationEvent>>(
  { operationId, ...target }: OperationTarget & { operationId: string; known?: OperationState },
  decide: (state: OperationState) => D,
): Promise<CommandResult<OperationState, RefusalOf<D>>> {
  return handle({ ...target, stream: operationStream(operationId), folding: operations }, decide);
}

/** `handle` for an operation that the caller holds, as it was read some time ago. */
export async function handleAdmitted<D extends Decision<OperationEvent>>(
  { operation, ...target }: OperationTarget & { operation: Operation },
  decide: (state: Operation) => D,
): Promise<CommandResult<Operation, RefusalOf<D>>> {
  const result = await handleOperation<D>(
    { ...target, operationId: operation.operationId, known: operation },
    (state) => decide(admitted(state)),
  );
  return result.outcome === 'undecided' ? result : { ...result, state: admitted(result.state) };
}

/** The operation of a state that was admitted. @throws where it was not: a bug */
export function admitted(state: OperationState): Operation {
  if (state.phase !== 'admitted') throw new Error('an operation that was admitted is not');
  return state;
}
