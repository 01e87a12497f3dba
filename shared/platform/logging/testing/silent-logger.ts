import { createLogger } from '../logger.ts';

/** A logger that writes nothing. */
export const logger = createLogger('test', 'silent');
