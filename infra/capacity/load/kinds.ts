/** Requests by what they ask for. */
export const kinds = ['payment', 'payout', 'confirm', 'cancel', 'read', 'balances'] as const;
export type Kind = (typeof kinds)[number];

/** Those that begin an operation. */
export const creates: readonly Kind[] = ['payment', 'payout'];

/** What arrives by itself, and what follows from it later. */
export type Arrival =
  'payment' | 'payment_with_receipt' | 'payment_cancelled' | 'payout' | 'read' | 'balances';

/** Of a hundred requests: those that arrive by themselves. The other 16 confirm and cancel what 16 of these began. */
export const mix: Readonly<Record<Arrival, number>> = {
  payment: 28,
  payment_with_receipt: 10,
  payment_cancelled: 6,
  payout: 12,
  read: 24,
  balances: 4,
};

/** Arrivals and creates for each request. */
export const arrivalsPerRequest = 0.84;
export const createsPerRequest = 0.56;
