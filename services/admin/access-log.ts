import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Operator } from './authentication.ts';

/** What of an operation was shown: with its personal data, as far as that is not erased. */
export type Shown = 'operation' | 'events' | 'receipt';

type Access = { operator: Operator; operationId: string; shown: Shown };
/** A list that was written to a file: which one, and of which shop where it is of one. */
type Exported = { operator: Operator; list: ExportedList; shopId: string | undefined };
export type ExportedList =
  | 'operations'
  | 'journal'
  | 'balances'
  | 'webhook-deliveries'
  | 'activity'
  | 'statements'
  | 'statement-findings';

export type AccessLog = { saw(access: Access): void; exported(exported: Exported): void };

/**
 * Says on stdout which operator saw which operation's personal data, or took a list along, whatever
 * LOG_LEVEL says: who answers for such data must be able to tell who looked at it. What was seen is
 * not in it.
 */
export function createAccessLog(destination?: { write(text: string): void }): AccessLog {
  const logger = createLogger('admin', 'info', destination);
  const who = ({ name: operator, role, tokenId }: Operator) => ({
    log: 'access',
    operator,
    role,
    token_id: tokenId,
  });
  return {
    saw: ({ operator, operationId, shown }) =>
      logger.info(
        { ...who(operator), operation_id: operationId, shown },
        'personal data was shown',
      ),
    exported: ({ operator, list, shopId }) =>
      logger.info(
        { ...who(operator), exported: list, ...(shopId !== undefined && { shop_id: shopId }) },
        'a list was exported',
      ),
  };
}
