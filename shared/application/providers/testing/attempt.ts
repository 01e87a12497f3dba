import { routeSchema } from '#shared/domain/routing.ts';
import type { AttemptRef } from '../connector.ts';

/** An attempt of the sandbox, of which only the key matters. */
export const sandboxAttempt = (operationId: string, attempt = 1): AttemptRef => ({
  operationId,
  attempt,
  type: 'payment',
  acceptUntil: new Date().toISOString(),
  route: routeSchema.parse({
    type: 'payment',
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    provider: 'sandbox',
    commission: { percent: '1' },
  }),
});
