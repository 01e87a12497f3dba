import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import {
  decideAndAppend,
  type CommandTarget,
} from '#shared/application/commands/decide-and-append.ts';
import { foldStored } from '#shared/platform/event-store/index.ts';
import type { CommandResult, Decision } from '#shared/platform/event-store/handle-command.ts';
import { operations } from './streams.ts';

type OperationTarget = Omit<
  CommandTarget<OperationState, OperationEvent>,
  'stream' | 'folding' | 'fromState' | 'mayBeStale'
> & {
  operationId: string;
  /**
   * What the decision is made on. `memory`: the recent events in memory, which costs no read; a
   * decision that appends nothing is then made again on the stream. A state: one that the caller
   * has read. Otherwise the stream is read first.
   */
  from?: OperationState | 'memory' | undefined;
};

/** Changes an operation, which may not exist yet. */
export function handleOperation<D extends Decision<OperationEvent>>(
  { operationId, from, ...target }: OperationTarget,
  decide: (state: OperationState) => D | Promise<D>,
): Promise<CommandResult<OperationState, D>> {
  const stream = operationStream(operationId);
  const recent = from === 'memory' ? target.store.recent(stream) : undefined;
  const cached = from === 'memory' ? recent && foldStored(operations, recent) : from;
  const mayBeStale = recent !== undefined;
  return decideAndAppend(
    { ...target, stream, folding: operations, fromState: cached, mayBeStale },
    decide,
  );
}

/** Changes an operation that the caller has read before. */
export async function handleAdmitted<D extends Decision<OperationEvent>>(
  {
    operation,
    ...target
  }: Omit<OperationTarget, 'operationId' | 'from'> & { operation: Operation },
  decide: (state: Operation) => D | Promise<D>,
): Promise<CommandResult<Operation, D>> {
  const result = await handleOperation<D>(
    { ...target, operationId: operation.operationId, from: operation },
    (state) => decide(admitted(state)),
  );
  return result.outcome === 'undecided' ? result : { ...result, state: admitted(result.state) };
}

/** The operation of a state that was admitted. @throws if it was not: a bug */
export function admitted(state: OperationState): Operation {
  if (state.phase !== 'admitted') throw new Error('an operation that was admitted is not');
  return state;
}
