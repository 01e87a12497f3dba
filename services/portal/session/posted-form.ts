import type { Context } from 'hono';
import { createArrivals, type ArrivalLimits } from '#shared/platform/http/arrivals.ts';
import { clientAddress, subscriberOf } from '#shared/platform/http/client-address.ts';
import { readForm, type Values } from '#shared/platform/sessions/form.ts';

/** Of forms that have not arrived completely; those of browsers arrive at once. */
const limits: ArrivalLimits = {
  room: { total: 512, ofOne: { sender: 8, shop: 32, address: 64 } },
  withinMs: 5_000,
};

/**
 * Reads the form of a request. `from` is the member and the shop that it comes from, where a
 * session says so.
 * @throws Problem as `readForm` and `Arrivals#read` do
 */
export type FormReader = (
  c: Context,
  from?: { memberId: string; shopId: string },
) => Promise<Values>;

/** Slow forms are limited in number and in time, so that they hold nothing that others wait for. */
export function createFormReader(trustedProxies: number): FormReader {
  const arrivals = createArrivals(limits);
  return (c, from) => {
    const sentBy = () => {
      const address = subscriberOf(clientAddress(c, { trustedProxies }));
      return { sender: from?.memberId ?? address, shop: from?.shopId ?? address, address };
    };
    return arrivals.read(c, sentBy, () => readForm(c));
  };
}
