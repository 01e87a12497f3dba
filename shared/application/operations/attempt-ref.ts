import type { Attempt, Operation } from '#shared/domain/operation/state.ts';
import type { AttemptRef } from '#shared/application/providers/connector.ts';

/** How a provider is told which attempt is meant. */
export const attemptRef = (
  { operationId, type, acceptUntil }: Pick<Operation, 'operationId' | 'type' | 'acceptUntil'>,
  { attempt, route, providerReference }: Attempt,
): AttemptRef => ({
  operationId,
  attempt,
  type,
  route,
  acceptUntil,
  ...(providerReference !== undefined && { providerReference }),
});
