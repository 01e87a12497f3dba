import { createAccessLog as createLog } from '../frame/access-log.ts';

/** A member, and the shop of the session. */
export type Reader = { memberId: string; shopId: string };

/** Which member saw what of which shop. */
export const createAccessLog = (destination?: { write(text: string): void }) =>
  createLog<Reader>(
    'portal',
    ({ memberId: member_id, shopId: shop_id }) => ({ member_id, shop_id }),
    destination,
  );
