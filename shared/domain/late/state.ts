import { zero, type Amount } from '../money.ts';
import type { providerLegIds } from './events.ts';

type RecordedMoney = { attempt: number; ids: ReturnType<typeof providerLegIds> };

/** By leg id. `ids` are the provider's: two accounts may have one id for different money. */
export type ByName<What> = Readonly<Record<string, What & RecordedMoney>>;

/** Late money as it was first recorded; `numbered`: by a report with a version. */
type LateRecord = { amount: Amount; completedAt: string; numbered: boolean };

/**
 * The state by which late facts are recognised as repeats: a report that is received twice adds no
 * event.
 */
export type LateState = {
  revision: number;
  /** Received money: in suspense, or matched with an approval. */
  legs: ByName<LateRecord>;
  /** Returned money; `ofLegIds` are the provider's ids of the leg. */
  returns: ByName<LateRecord & { ofLegIds: RecordedMoney['ids'] }>;
  /** The names of differences. */
  differences: ReadonlySet<string>;
  /** The signed sum of the recorded differences, confirming ones included, by `moneyKey`. */
  posted: Readonly<Record<string, Amount>>;
  /**
   * By `moneyKey`: the amount of which an older version informed an operator without an entry. It
   * is recorded once the provider reports yet another one.
   */
  informed: Readonly<Record<string, Amount>>;
  /** How much of the approved money was received. */
  confirmed: Amount;
  /**
   * The newest report with a late fact, by attempt. A report that changes nothing adds no event,
   * here and in the operation, so an older one that arrives after it is applied, and may end the
   * operation. When the newer one is repeated, it corrects that: the leg itself while the operation
   * is open, later by a difference.
   */
  versions: Readonly<Record<number, number>>;
  statuses: readonly string[];
  /** An operator was informed that the payout cost more than agreed. */
  overcharged: boolean;
  /** Operators' notes on facts without money, by the id of the event that reported the fact. */
  acknowledged: Readonly<Record<string, string>>;
};

export const nothingLate: LateState = {
  revision: -1,
  legs: {},
  returns: {},
  differences: new Set(),
  posted: {},
  informed: {},
  confirmed: zero,
  versions: {},
  statuses: [],
  overcharged: false,
  acknowledged: {},
};
