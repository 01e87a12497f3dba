import type { Amount } from '../money.ts';
import type { LateMoney } from './direction.ts';
import type { Entry, MoneyResolution } from './events.ts';

/** One reservation of a payout; its number is that of the attempt that asked for it. */
type ReservationReference = { operationId: string; reservation: number };

/** Why an entry is posted: the event that causes it, the provider, and what was converted. */
export type Why = { cause: string } & Pick<Entry, 'provider' | 'source'>;

/**
 * The commands of a ledger. Amounts are in its currency; each is posted once by its reference and
 * kind.
 */
export type LedgerCommand = Movement & { why?: Why };

type Movement =
  /**
   * Reserves a payout's settlement. `overdraftLimit`: by how much the balance may then be below
   * zero; without it there is no limit (R12.11).
   */
  | ({
      kind: 'reserve';
      amount: Amount;
      overdraftLimit?: Amount | undefined;
    } & ReservationReference)
  /**
   * The payout's money went out. `reserved`: the amount in FundsReserved; what exceeds the charge
   * is released.
   */
  | ({
      kind: 'capture';
      reserved: Amount;
      recorded: Amount;
      commission: Amount;
    } & ReservationReference)
  /**
   * The reservation ends without money. `reserved`: the amount in FundsReserved. Without that event
   * the ledger looks for the reserve itself, and an empty entry blocks one that comes late.
   */
  | ({ kind: 'release'; reserved?: Amount | undefined } & ReservationReference)
  /** A payment ended with money: settlement = recorded - commission. */
  | { kind: 'credit'; operationId: string; recorded: Amount; commission: Amount }
  /** An operator's correction: a signed amount. */
  | { kind: 'adjustment'; adjustmentId: string; amount: string; reason: string }
  /** Money after the end, in the request's currency, and which way it went (`moneyDirection`). */
  | ({ kind: 'suspense'; operationId: string; legId: string } & LateMoney)
  /**
   * Late money leaves the suspense account as an operator decides, after its `suspense` was posted.
   */
  | ({
      kind: 'resolution';
      operationId: string;
      legId: string;
      resolution: MoneyResolution;
      note: string;
    } & LateMoney);

/** Why a command is not posted. */
export type LedgerRefusal =
  /** The balance would be below its overdraft limit. */
  | 'insufficient_funds'
  /** It was captured or released before. */
  | 'reservation_closed'
  /** The id was used with another amount or reason. */
  | 'adjustment_conflict'
  /** The late money was resolved otherwise. */
  | 'resolution_conflict';
