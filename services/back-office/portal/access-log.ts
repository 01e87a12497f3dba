import { createLogger } from '#shared/platform/logging/logger.ts';

/** Who looked, and of which shop. */
type Who = { memberId: string; shopId: string };

export type AccessLog = {
  saw(access: Who & { operationId: string; shown: 'operation' | 'receipt' }): void;
  exported(exported: Who & { list: string }): void;
};

/**
 * Says on stdout which member saw which operation's personal data, or took a list along, whatever
 * LOG_LEVEL says. What was seen is not in it.
 */
export function createAccessLog(destination?: { write(text: string): void }): AccessLog {
  const logger = createLogger('portal', 'info', destination);
  const who = ({ memberId: member_id, shopId: shop_id }: Who) => ({
    log: 'access',
    member_id,
    shop_id,
  });
  return {
    saw: ({ operationId: operation_id, shown, ...by }) =>
      logger.info({ ...who(by), operation_id, shown }, 'personal data was shown'),
    exported: ({ list: exported, ...by }) =>
      logger.info({ ...who(by), exported }, 'a list was exported'),
  };
}
