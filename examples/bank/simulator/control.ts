import type { BankTransfer } from '#examples/bank/connector/wire.ts';
import type { Behaviour } from './behaviour.ts';
import { digestKey, initialBalance, transferBy, type BankContext } from './context.ts';
import type { StatementDifference } from './statement.ts';
import { stateAt, transferAt, type Transfer } from './transfer.ts';

type Arrival = { account: string; amount: bigint; purpose: string; from: string; lateMs: number };

/** What a person or a test makes the bank, and the people who pay through it, do. */
export function createBankControl(context: BankContext) {
  const { store, now } = context;

  return {
    behaviour: () => store().behaviour.get(),
    behave: (behaviour: Behaviour) => store().behaviour.set(behaviour),

    /** Opens an account, or gives it another key. */
    openAccount({ account, key, holder }: { account: string; key: string; holder: string }): void {
      store().accounts.put({ account, holder, keySha256: digestKey(key), initial: initialBalance });
    },

    /** A payer transfers money to an account; undefined if there is no such account. */
    arrive({ account, amount, purpose, from, lateMs }: Arrival): BankTransfer | undefined {
      if (!store().accounts.get(account)) return undefined;
      const entersMs = now() + lateMs;
      const transfer = store().transfers.add({
        account,
        direction: 'in',
        amount,
        party: from,
        purpose,
        entersMs,
        booksMs: entersMs,
      });
      return transferAt(transfer, now());
    },

    ...createDecisions(context),

    /** All whose purpose has the words, those too that are still held up. */
    withPurpose: (part: string): BankTransfer[] =>
      store()
        .transfers.withPurpose(part)
        .map((transfer) => transferAt(transfer, now())),

    differences: () => store().differences.all(),
    plant: (difference: StatementDifference) => store().differences.plant(difference),
    clearDifferences: () => store().differences.clear(),
  };
}

/** What becomes of a transfer. */
function createDecisions(context: BankContext) {
  const { store, now } = context;
  return {
    /** Decides a transfer that is pending. */
    decide(id: string, to: 'booked' | 'rejected'): BankTransfer | 'unknown' | 'not_now' {
      return store().transaction(() => {
        const before = transferBy(context, id);
        if (!before) return 'unknown';
        if (stateAt(before, now()) !== 'pending') return 'not_now';
        const at = to === 'booked' ? { booksMs: now() } : { rejectedMs: now() };
        const after: Transfer = { ...before, ...at };
        store().transfers.change(after);
        return transferAt(after, now());
      });
    },

    /**
     * Money of a booked transfer goes back, all of it unless an amount is given: a transfer the
     * other way. Banks err, so it may be more than came.
     */
    takeBack(id: string, amount?: bigint): BankTransfer | 'unknown' | 'not_now' {
      return store().transaction(() => {
        const of = transferBy(context, id);
        if (!of) return 'unknown';
        if (stateAt(of, now()) !== 'booked' || of.returns !== undefined) return 'not_now';
        const { account, party, purpose, seq } = of;
        const back = store().transfers.add({
          account,
          direction: of.direction === 'in' ? 'out' : 'in',
          amount: amount ?? of.amount,
          party,
          purpose,
          entersMs: now(),
          booksMs: now(),
          returns: seq,
        });
        return transferAt(back, now());
      });
    },
  };
}

export type BankControl = ReturnType<typeof createBankControl>;
