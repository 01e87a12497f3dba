import { createAccessLog as createLog } from '../frame/access-log.ts';

/** A member, and the shop of the session. */
export type PortalReader = { memberId: string; shopId: string };

/** Which member saw what of which shop. */
export const createPortalAccessLog = (destination?: { write(text: string): void }) =>
  createLog<PortalReader>(
    'portal',
    ({ memberId: member_id, shopId: shop_id }) => ({ member_id, shop_id }),
    destination,
  );
