import { decodeOperatorEvent, type OperatorEvent } from '#shared/domain/operator/events.ts';
import { evolveOperators, noOperators, type Operators } from '#shared/domain/operator/operators.ts';
import type { StreamFold } from '#shared/platform/event-store/index.ts';

/** How the stream of operators' tokens is read. */
export const operators: StreamFold<Operators, OperatorEvent> = {
  initial: noOperators,
  decode: decodeOperatorEvent,
  evolve: (state, event, { created, metadata }) =>
    evolveOperators(state, event, { createdIso: created.toISOString(), actor: metadata.actor }),
};
