import { z } from 'zod';
import { decoderOf, type EventOf } from '../decode.ts';

/**
 * The journal of one shop in one currency, stream `ledger-<shop_id>-<currency>`: double entry, the newest entry is the
 * balance. Amounts are credit-natural: positive is what the gateway owes, negative what it is owed.
 */

/** Decimal with two places and an optional sign; there is one zero. */
export const signedAmountPattern = /^(?!-0\.00$)-?(0|[1-9]\d*)\.\d{2}$/;
const signedAmount = z.string().regex(signedAmountPattern);

export const accounts = ['balance', 'reserved', 'commission', 'provider', 'suspense', 'external'] as const;
export type Account = (typeof accounts)[number];

const common = {
  shop_id: z.string(),
  currency: z.string(),
  /** Adds up to zero, an account at most once, no zeros; empty where nothing moved (release of nothing). */
  legs: z.array(z.object({ account: z.enum(accounts), amount: signedAmount })),
  /** The shop's position once this entry stands. */
  balance_after: signedAmount,
  reserved_after: signedAmount,
  /** The type of the event that owes it, whoever posted it; in all since version 2, as are the next two where they apply. */
  cause: z.string().optional(),
  /** Through whom the operation's money goes. */
  provider: z.string().optional(),
  /** What was converted: the operation's own amount, and the rate to the ledger's currency. */
  source: z.object({ amount: signedAmount, currency: z.string(), fx_rate: z.string() }).optional(),
};
/** Late money: `of_leg_id` is the leg of which it went back; absent: it came (since version 3). */
const lateMoney = { operation_id: z.string(), leg_id: z.string(), of_leg_id: z.string().optional() };
const reservation = { operation_id: z.string(), reservation: z.int() };

/**
 * What an operator makes of late money. `credit_shop`: what came in (for a payment, or back from a payout) is the shop's;
 * `charge_shop`: what went out (for a payout, or back from a payment) is at the shop's expense; `return`: it went back to
 * where it came from; `write_off`: the gateway keeps it, or bears it.
 */
export const moneyResolutions = ['credit_shop', 'charge_shop', 'return', 'write_off'] as const;
export type MoneyResolution = (typeof moneyResolutions)[number];

export const ledgerEventSchemas = {
  EntryPosted: z.discriminatedUnion('kind', [
    /** A payout's amount with its commission, set aside before a provider is asked. */
    z.object({ ...common, kind: z.literal('reserve'), ...reservation }),
    /** A payout's money went out: the charge, and what was set aside beyond it goes back to the balance. */
    z.object({ ...common, kind: z.literal('capture'), ...reservation }),
    /** A reservation ends without money. */
    z.object({ ...common, kind: z.literal('release'), ...reservation }),
    /** A payment's money came in, less the commission. */
    z.object({ ...common, kind: z.literal('credit'), operation_id: z.string() }),
    /** An operator's top-up, withdrawal or correction; who it was stands in the metadata. */
    z.object({ ...common, kind: z.literal('adjustment'), adjustment_id: z.string(), reason: z.string() }),
    /** Money after an operation's end: it waits for an operator, and leaves the shop's position as it is. */
    z.object({
      ...common,
      kind: z.literal('suspense'),
      ...lateMoney,
    }),
    /** An operator's decision on late money: it leaves the suspense account; who it was stands in the metadata. */
    z.object({
      ...common,
      kind: z.literal('resolution'),
      ...lateMoney,
      resolution: z.enum(moneyResolutions),
      note: z.string(),
    }),
  ]),
} as const;

export type LedgerEvent = EventOf<typeof ledgerEventSchemas>;
/** An entry as it is stored. */
export type Entry = LedgerEvent['data'];
export type EntryKind = Entry['kind'];

export const ledgerStreamPrefix = 'ledger-';

export const ledgerStream = (shopId: string, currency: string): string =>
  `${ledgerStreamPrefix}${shopId}-${currency}`;

export const decodeLedgerEvent = decoderOf(ledgerEventSchemas, 'ledger');
