import { isTerminal, type Attempt, type Operation } from '#shared/domain/operation/state.ts';
import type { AttemptRef } from '#shared/application/providers/connector.ts';

/** What identifies an attempt to its provider. */
export const attemptRef = (
  {
    operationId,
    type,
    acceptUntil,
    status,
  }: Pick<Operation, 'operationId' | 'type' | 'acceptUntil' | 'status'>,
  { attempt, route, providerReference }: Attempt,
): AttemptRef => ({
  operationId,
  attempt,
  type,
  route,
  acceptUntil,
  over: isTerminal(status),
  ...(providerReference !== undefined && { providerReference }),
});
