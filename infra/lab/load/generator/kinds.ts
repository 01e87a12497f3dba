/** The kinds of requests. */
export const loadKinds = ['payment', 'payout', 'confirm', 'cancel', 'read', 'balances'] as const;
export type LoadKind = (typeof loadKinds)[number];

/** Those that begin an operation. */
export const creates: readonly LoadKind[] = ['payment', 'payout'];

type PaymentArrival = 'payment' | 'payment_with_receipt' | 'payment_cancelled';
/** Requests that arrive by themselves, and later follow-ups. */
export type LoadArrival = PaymentArrival | 'payout' | 'read' | 'balances';

type Mix = Readonly<Record<LoadArrival, number>>;

/**
 * The number of requests of a hundred that arrive by themselves. The others are confirmations and
 * cancels of earlier ones.
 */
export const mixes = {
  whole: {
    payment: 28,
    payment_with_receipt: 10,
    payment_cancelled: 6,
    payout: 12,
    read: 24,
    balances: 4,
  },
  /** The requests that a gateway without receipts supports too. */
  withoutReceipts: {
    payment: 38,
    payment_with_receipt: 0,
    payment_cancelled: 6,
    payout: 12,
    read: 34,
    balances: 4,
  },
} satisfies Readonly<Record<string, Mix>>;
export type MixName = keyof typeof mixes;

/** Arrivals for each request. */
export const arrivalsPerRequest: Readonly<Record<MixName, number>> = {
  whole: 0.84,
  withoutReceipts: 0.94,
};
export const createsPerRequest = 0.56;

/** How long the provider takes to complete an accepted attempt, in milliseconds. */
export const autopilotMs = { payment: 3_000, payout: 2_000 } as const;
