import { operationStream } from '#shared/domain/operation/events.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { PayDependencies } from '../dependencies.ts';
import { toVisiblePayment, computePageVersion } from '../visible-payment.ts';
import { createWatch, type StatusWatch } from './watch.ts';

/** Watches payments for the pages that show them. */
export function watchPayments({
  operations,
  logger,
}: Pick<PayDependencies, 'operations'> & { logger: Logger }): StatusWatch {
  return createWatch({
    logger,
    version: async (operationId) => {
      const state = await operations.read(operationStream(operationId));
      const shown = state.phase === 'admitted' ? toVisiblePayment(state, Date.now()) : undefined;
      return shown && computePageVersion(shown);
    },
  });
}
