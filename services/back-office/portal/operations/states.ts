import { operations } from '#shared/application/operations/streams.ts';
import {
  noOperation,
  type OperationState,
  type OperationStatus,
} from '#shared/domain/operation/state.ts';
import { foldStored, type StoredEvent } from '#shared/platform/event-store/index.ts';

/** A status that a merchant was shown, and since when. */
type ShownState = { status: OperationStatus; since: Date };

/** The statuses of an operation that its merchant could see: none while it was created. */
export function listVisibleStates(events: readonly StoredEvent[]): ShownState[] {
  const states: ShownState[] = [];
  let state: OperationState = noOperation;
  for (const event of events) {
    state = foldStored(operations, [event], state);
    if (state.phase !== 'admitted' || state.status === 'creating') continue;
    if (states.at(-1)?.status !== state.status)
      states.push({ status: state.status, since: event.created });
  }
  return states;
}
