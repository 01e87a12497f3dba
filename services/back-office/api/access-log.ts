import { createAccessLog as createLog } from '../frame/access-log.ts';
import type { OperatorIdentity } from './authentication.ts';

/** Which operator saw what. */
export const createAdminAccessLog = (destination?: { write(text: string): void }) =>
  createLog<OperatorIdentity>(
    'admin',
    ({ name: operator, role, tokenId: token_id }) => ({ operator, role, token_id }),
    destination,
  );
