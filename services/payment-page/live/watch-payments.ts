import { operationStream } from '#shared/domain/operation/events.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { Dependencies } from '../dependencies.ts';
import { shownOf, versionOf } from '../visible-payment.ts';
import { createWatch, type Watch } from './watch.ts';

/** Watches payments for the pages that show them. */
export function watchPayments({
  operations,
  logger,
}: Pick<Dependencies, 'operations'> & { logger: Logger }): Watch {
  return createWatch({
    logger,
    version: async (operationId) => {
      const state = await operations.read(operationStream(operationId));
      const shown = state.phase === 'admitted' ? shownOf(state, Date.now()) : undefined;
      return shown && versionOf(shown);
    },
  });
}
