import type { BankTransfer } from '#shared/application/providers/bank/wire.ts';
import type { Behaviour } from './behaviour.ts';
import { digestOf, initialBalance, transferBy, type BankContext } from './context.ts';
import type { Difference } from './statement.ts';
import { stateAt, toldAt, type Transfer } from './transfer.ts';

export type Arrival = { account: string; amount: bigint; purpose: string; from: string; lateMs: number };

/** What a person or a test makes the bank, and the people who pay through it, do. */
export function createBankControl(context: BankContext) {
  const { store, now } = context;

  return {
    behaviour: () => store().behaviour.get(),
    behave: (behaviour: Behaviour) => store().behaviour.set(behaviour),

    /** Opens an account, or gives it another key. */
    openAccount({ account, key, holder }: { account: string; key: string; holder: string }): void {
      store().accounts.put({ account, holder, keySha256: digestOf(key), initial: initialBalance });
    },

    /** Somebody transfers money to an account; undefined where there is no such account. */
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
      return toldAt(transfer, now());
    },

    /** Decides a transfer; what was booked already can only come back. */
    decide(id: string, to: 'booked' | 'rejected' | 'returned'): BankTransfer | 'unknown' | 'not_now' {
      return store().transaction(() => {
        const before = transferBy(context, id);
        if (!before) return 'unknown';
        const state = stateAt(before, now());
        if (state !== (to === 'returned' ? 'booked' : 'pending')) return 'not_now';
        const after: Transfer = { ...before, ...changeTo(to, now()) };
        store().transfers.change(after);
        return toldAt(after, now());
      });
    },

    /** All whose purpose has the words, those too that are still held up. */
    withPurpose: (part: string): BankTransfer[] =>
      store()
        .transfers.withPurpose(part)
        .map((transfer) => toldAt(transfer, now())),

    differences: () => store().differences.all(),
    plant: (difference: Difference) => store().differences.plant(difference),
    clearDifferences: () => store().differences.clear(),
  };
}

function changeTo(to: 'booked' | 'rejected' | 'returned', nowMs: number): Partial<Transfer> {
  if (to === 'booked') return { booksMs: nowMs };
  return to === 'rejected' ? { rejectedMs: nowMs } : { returnedMs: nowMs };
}

export type BankControl = ReturnType<typeof createBankControl>;
