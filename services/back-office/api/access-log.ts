import { createAccessLog as createLog } from '../frame/access-log.ts';
import type { Operator } from './authentication.ts';

/** Which operator saw what. */
export const createAccessLog = (destination?: { write(text: string): void }) =>
  createLog<Operator>(
    'admin',
    ({ name: operator, role, tokenId: token_id }) => ({ operator, role, token_id }),
    destination,
  );
