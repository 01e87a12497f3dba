import type { Attempt, Operation } from '#shared/domain/operation/state.ts';
import type { AttemptRef } from '#shared/application/providers/connector.ts';

/** How a provider is told which attempt is meant. */
export const attemptRef = (
  { operationId, type }: Pick<Operation, 'operationId' | 'type'>,
  { attempt, route, providerReference }: Attempt,
): AttemptRef => ({
  operationId,
  attempt,
  type,
  route,
  ...(providerReference !== undefined && { providerReference }),
});
