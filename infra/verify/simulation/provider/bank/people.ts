import type { BankControl } from '#examples/bank/simulator/control.ts';
import { transferId, type Transfer } from '#examples/bank/simulator/transfer.ts';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';

/** What a payer knows of a payment. */
type PaymentInvitation = { reference: string; amount: string; expiresMs: number };

type BankPeopleOptions = {
  account: string;
  control: BankControl;
  random: Random;
  now(): number;
  /** An event that happens by itself after a while. */
  later(leastMs: number, mostMs: number, act: () => void): void;
};

const paymentCourses = ['whole', 'whole', 'parts', 'part', 'more', 'twice', 'nothing'] as const;
/**
 * How long after a window or a booking money may still move: less than the gateway waits, however
 * the clocks differ.
 */
const movesForMs = 30_000;
const lateMs = 10_000;

/** The bank's staff, and its payers. */
export function createBankPeople(options: BankPeopleOptions) {
  const { account, control, random, now, later } = options;

  /** Returns a transfer or a part of it, sometimes twice and more than it brought. */
  const maybeGoBack = ({ seq, amount }: Transfer, untilMs: number, chance = 0.3): void => {
    if (!random.chance(chance)) return;
    later(20, 12_000, () => {
      if (now() > untilMs) return;
      control.takeBack(transferId(seq), random.pick([amount, (amount + 1n) / 2n, amount + 10n]));
      maybeGoBack({ seq, amount } as Transfer, untilMs);
    });
  };

  const pay = ({ reference, expiresMs }: PaymentInvitation, amount: bigint, atMs: number): void => {
    later(atMs, atMs + 1, () => {
      if (amount <= 0n || now() > expiresMs + lateMs) return;
      const purpose = written(reference, random);
      control.arrive({
        account,
        amount,
        purpose,
        from: 'payer',
        lateMs: random.pick([0, 0, 2_000]),
      });
    });
  };

  return {
    /** Books, rejects or returns a transfer that the bank has received. */
    entered: (transfer: Transfer): void => {
      const { direction, returns, entersMs, seq } = transfer;
      if (returns !== undefined) return;
      if (direction === 'in') {
        maybeGoBack(transfer, entersMs + movesForMs - lateMs);
        return;
      }
      const waitMs = Math.max(0, entersMs - now());
      later(waitMs, waitMs + random.pick([1, 2_000, 10_000]), () => {
        control.decide(transferId(seq), random.chance(0.15) ? 'rejected' : 'booked');
        maybeGoBack(transfer, now() + movesForMs);
      });
    },
    /** Pays or not: the exact amount, in parts, too little, too much, twice or late. */
    invite: (invited: PaymentInvitation): void => {
      const wanted = toMinor(invited.amount);
      const leftMs = Math.max(0, invited.expiresMs - now());
      const startMs = random.chance(0.2)
        ? leftMs + random.between(0, lateMs)
        : random.between(10, 8_000);
      const some = BigInt(1 + random.below(Number(wanted) - 1));
      const course = random.pick(paymentCourses);
      const parts = {
        whole: [wanted],
        parts: [some, (wanted - some) / 2n, wanted - some - (wanted - some) / 2n],
        part: [some],
        more: [wanted + 150n],
        twice: [wanted, wanted],
        nothing: [],
      }[course];
      for (const [index, part] of parts.entries())
        pay(invited, part, startMs + index * random.between(1, 4_000));
    },
  };
}

/** As people write it; at times not at all. */
function written(reference: string, random: Random): string {
  return random.pick([
    reference,
    reference.toLowerCase(),
    `за заказ ${reference}`,
    reference.replaceAll(/(.{4})/g, '$1 ').trim(),
    reference.replaceAll(/(.{5})(?=.)/g, '$1-'),
    'за товар',
  ]);
}
