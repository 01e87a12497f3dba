import type { Context } from 'hono';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { readFormValues, type Values } from '#shared/platform/sessions/form.ts';
import { clientSubnet } from '../../frame/sign-in.ts';

/** For forms that are received slowly; those of browsers are complete at once. */
const limits = {
  capacity: { total: 512, perOwner: { sender: 8, shop: 32, address: 64 } },
  withinMs: 5_000,
};

/**
 * Reads the form of a request. `from`: the member and the shop of the session, if there is one.
 * @throws Problem as `readFormValues` and `IncomingBodies#read` do
 */
export type FormReader = (
  c: Context,
  from?: { memberId: string; shopId: string },
) => Promise<Values>;

/** Slow forms are limited in number and in time, so that they block no other request. */
export function createFormReader(trustedProxies: number): FormReader {
  const incomingBodies = createIncomingBodies(limits);
  return (c, from) => {
    const sentBy = () => {
      const address = clientSubnet(c, { trustedProxies });
      return { sender: from?.memberId ?? address, shop: from?.shopId ?? address, address };
    };
    return incomingBodies.read(c, sentBy, () => readFormValues(c));
  };
}
