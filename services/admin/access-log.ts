import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Operator } from './authentication.ts';

/** What of an operation was shown: with its personal data, as far as that is not erased. */
export type Shown = 'operation' | 'events' | 'receipt';

export type Access = { operator: Operator; operationId: string; shown: Shown };
export type AccessLog = { saw(access: Access): void };

/**
 * Says on stdout which operator saw which operation's personal data, whatever LOG_LEVEL says: who answers for such data must
 * be able to tell who looked at it. What was seen is not in it.
 */
export function createAccessLog(destination?: { write(text: string): void }): AccessLog {
  const logger = createLogger('admin', 'info', destination);
  return {
    saw: ({ operator: { name: operator, role, tokenId }, operationId, shown }) =>
      logger.info(
        { log: 'access', operator, role, token_id: tokenId, operation_id: operationId, shown },
        'personal data was shown',
      ),
  };
}
