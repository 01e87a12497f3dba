import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import { handle, type Target } from '#shared/application/commands/handle.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import type {
  CommandResult,
  Decision,
  RefusalOf,
} from '#shared/platform/event-store/handle-command.ts';
import { operations } from './streams.ts';

type OperationTarget = Pick<
  Target<OperationState, OperationEvent>,
  'store' | 'origin' | 'deadlineMs'
>;

/** `handle` for an operation, which may not exist yet. */
export function handleOperation<D extends Decision<OperationEvent>>(
  { operationId, ...target }: OperationTarget & { operationId: string; known?: OperationState },
  decide: (state: OperationState) => D,
): Promise<CommandResult<OperationState, RefusalOf<D>>> {
  return handle({ ...target, stream: operationStream(operationId), folding: operations }, decide);
}

/**
 * Like `handleOperation`, but reads the stream only if it has to. The events in memory may lack the
 * newest ones. A decision on them that appends events is safe, because the append checks the
 * revision. A decision that appends nothing is made again, on the events in the store.
 */
export async function handleRecent<D extends Decision<OperationEvent>>(
  target: OperationTarget & { operationId: string },
  decide: (state: OperationState) => D,
): Promise<CommandResult<OperationState, RefusalOf<D>>> {
  const recent = target.store.recent(operationStream(target.operationId));
  if (recent) {
    const result = await handleOperation(
      { ...target, known: foldStored(operations, recent) },
      decide,
    );
    if (result.outcome === 'undecided') return result;
    if (result.outcome === 'done' && result.events.length > 0) return result;
  }
  return handleOperation(target, decide);
}

/** `handle` for an operation that the caller has read before. */
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

/** The operation of a state that was admitted. @throws if it was not: a bug */
export function admitted(state: OperationState): Operation {
  if (state.phase !== 'admitted') throw new Error('an operation that was admitted is not');
  return state;
}
