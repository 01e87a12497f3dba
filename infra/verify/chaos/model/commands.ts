/** The operations that a run is about: what each is, and what its route does. */
export const keys = {
  payment: { type: 'payment', method: 'WT_RUB_C2C', receipt: false },
  other: { type: 'payment', method: 'WT_RUB_C2C', receipt: false },
  receipt: { type: 'payment', method: 'WT_RUB_PHONE', receipt: true },
  payout: { type: 'payout', method: 'WT_RUB_C2C', receipt: false },
  'payout-2': { type: 'payout', method: 'WT_RUB_C2C', receipt: false },
} as const;
export type Key = keyof typeof keys;
export const keyNames = Object.keys(keys) as [Key, ...Key[]];

/** Two amounts that a route takes, and one that none does. */
export const amounts = ['10.00', '20.00', '5.00'] as const;
export type Amount = (typeof amounts)[number];
/** Below the least amount of every route. */
export const unroutable: Amount = '5.00';

/** Of 2.5 %: what a payment brings and a payout costs, in minor units. */
export const settlements: Readonly<Record<'payment' | 'payout', Readonly<Record<Amount, bigint>>>> =
  {
    payment: { '10.00': 975n, '20.00': 1950n, '5.00': 488n },
    payout: { '10.00': 1025n, '20.00': 2050n, '5.00': 513n },
  };
/** How far payouts may take the balance below zero. */
export const overdraftLimit = 1200n;

export const receipts = ['a', 'b', 'picture'] as const;
export type Receipt = (typeof receipts)[number];

/** One command; `by` is the instance that gets it. */
export type Command =
  | {
      readonly do: 'create';
      readonly key: Key;
      readonly amount: Amount;
      readonly link: boolean;
      readonly by: number;
    }
  | { readonly do: 'cancel'; readonly key: Key; readonly named: 'key' | 'id'; readonly by: number }
  | { readonly do: 'confirm'; readonly key: Key; readonly receipt: Receipt; readonly by: number }
  | { readonly do: 'read'; readonly key: Key; readonly named: 'key' | 'id'; readonly by: number }
  | { readonly do: 'balances'; readonly by: number }
  /** The provider ends it, and the command waits for that. */
  | { readonly do: 'settle'; readonly key: Key; readonly result: 'completed' | 'declined' };

/**
 * What came of it; undefined if it could not be done: no id is known, the provider does not know
 * the operation.
 */
export type Answer = {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: Readonly<Record<string, unknown>>;
};
export type Done = { readonly command: Command; readonly answer: Answer | undefined };
