import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/**
 * The journal of one shop in one currency, stream `ledger-<shop_id>-<currency>`: double entry, with
 * the balance in the newest entry. Amounts are credit-natural: positive is what the gateway owes,
 * negative what it is owed.
 */

/** A decimal with two places and an optional sign, without a negative zero. */
export const signedAmountPattern = /^(?!-0\.00$)-?(0|[1-9]\d*)\.\d{2}$/;
const signedAmount = z.string().regex(signedAmountPattern);

export const accounts = [
  'balance',
  'reserved',
  'commission',
  'provider',
  'suspense',
  'external',
] as const;
export type LedgerAccount = (typeof accounts)[number];

const common = {
  shop_id: z.string(),
  currency: z.string(),
  /**
   * They add up to zero, with each account at most once and no zero amounts; empty if nothing moved
   * (a release of nothing).
   */
  legs: z.array(z.object({ account: z.enum(accounts), amount: signedAmount })),
  /** The shop's position after this entry. */
  balance_after: signedAmount,
  reserved_after: signedAmount,
  /**
   * The type of the event that causes it. Since version 2 all entries have it, and the next two
   * where they apply.
   */
  cause: z.string().optional(),
  /** The provider that moves the operation's money. */
  provider: z.string().optional(),
  /** The conversion: the operation's own amount, and the rate to the ledger's currency. */
  source: z.object({ amount: signedAmount, currency: z.string(), fx_rate: z.string() }).optional(),
};
/**
 * Late money. `of_leg_id`: the leg whose money was returned; absent for money that came in (since
 * version 3).
 */
const lateMoney = {
  operation_id: z.string(),
  leg_id: z.string(),
  of_leg_id: z.string().optional(),
};
const reservation = { operation_id: z.string(), reservation: z.int() };

/**
 * What an operator decides on late money. `credit_shop`: money that came in (for a payment, or back
 * from a payout) goes to the shop; `charge_shop`: the shop pays for money that went out (for a
 * payout, or back from a payment); `return`: it was sent back to where it came from; `write_off`:
 * the gateway keeps it, or bears the loss.
 */
export const moneyResolutions = ['credit_shop', 'charge_shop', 'return', 'write_off'] as const;
export type MoneyResolution = (typeof moneyResolutions)[number];

export const ledgerEventSchemas = {
  EntryPosted: z.discriminatedUnion('kind', [
    /** A payout's amount with its commission, reserved before a provider is called. */
    z.object({ ...common, kind: z.literal('reserve'), ...reservation }),
    /**
     * A payout's money went out: the charge is final, and what was reserved beyond it goes back to
     * the balance.
     */
    z.object({ ...common, kind: z.literal('capture'), ...reservation }),
    /** A reservation ends without money. */
    z.object({ ...common, kind: z.literal('release'), ...reservation }),
    /** A payment's money came in, less the commission. */
    z.object({ ...common, kind: z.literal('credit'), operation_id: z.string() }),
    /** An operator's top-up, withdrawal or correction; the metadata says whose. */
    z.object({
      ...common,
      kind: z.literal('adjustment'),
      adjustment_id: z.string(),
      reason: z.string(),
    }),
    /**
     * Money after an operation's end: it waits for an operator, and leaves the shop's position as
     * it is.
     */
    z.object({
      ...common,
      kind: z.literal('suspense'),
      ...lateMoney,
    }),
    /**
     * An operator's decision on late money, which leaves the suspense account; the metadata says
     * whose.
     */
    z.object({
      ...common,
      kind: z.literal('resolution'),
      ...lateMoney,
      resolution: z.enum(moneyResolutions),
      note: z.string(),
    }),
  ]),
} as const;

type LedgerEvent = EventOf<typeof ledgerEventSchemas>;
/** An entry as it is stored. */
export type Entry = LedgerEvent['data'];
export type EntryKind = Entry['kind'];
export const entryKinds: readonly EntryKind[] = ledgerEventSchemas.EntryPosted.options.map(
  ({ shape }) => shape.kind.value,
);

export const ledgerStreamPrefix = 'ledger-';

export const ledgerStream = (shopId: string, currency: string): string =>
  `${ledgerStreamPrefix}${shopId}-${currency}`;

export const decodeLedgerEvent = createDecoder(ledgerEventSchemas, 'ledger');
