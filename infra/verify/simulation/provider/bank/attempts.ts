import { transferAt, transferId, type Transfer } from '#examples/bank/simulator/transfer.ts';
import {
  attemptIn,
  toTransferPurpose,
  referenceIn,
  computeReference,
} from '#examples/bank/connector/reference.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import { blank, type ProviderAttempt } from '../attempt.ts';

/** More routes than a shop has. */
const maxAttempts = 9;
const name = 'bank';

type BankBooks = {
  transfers: readonly Transfer[];
  /** What was sent, by its purpose. */
  orders: ReadonlyMap<string, Set<object>>;
  /** The operations whose reference a payer got. */
  paidFor: ReadonlySet<string>;
  nowMs: number;
};

/** The bank's view of the gateway's attempts, which are all transfers to it. */
export function bankAttempts(books: BankBooks): ProviderAttempt[] {
  const { transfers, orders, paidFor } = books;
  const payouts = [...orders].flatMap(([purpose, sent]): ProviderAttempt[] => {
    const ref = attemptIn(purpose);
    if (!ref) return [];
    const own = transfers.filter(
      (each) => each.direction === 'out' && isMeantBy(each, toTransferPurpose(ref)),
    );
    const [order] = own;
    const acceptance = order ? 'accepted' : 'refused';
    return [{ ...seen(ref, own, books), acceptance, submissions: sent.size, orders: sent }];
  });
  const payments = [...paidFor].flatMap((operationId) =>
    Array.from({ length: maxAttempts }, (_, index) => ({
      operationId,
      attempt: index + 1,
    })).flatMap((ref) => {
      const own = transfers.filter(
        (each) => each.direction === 'in' && referenceIn(each.purpose) === computeReference(ref),
      );
      return own.some(isFirst)
        ? [{ ...seen(ref, own, books), acceptance: 'accepted' as const }]
        : [];
    }),
  );
  return [...payouts, ...payments];
}

const isFirst = ({ returns }: Transfer) => returns === undefined;
const isMeantBy = (transfer: Transfer, purpose: string) =>
  isFirst(transfer) && transfer.purpose === purpose;

type Ref = { operationId: string; attempt: number };

function seen(
  ref: Ref,
  own: readonly Transfer[],
  { transfers, nowMs }: BankBooks,
): ProviderAttempt {
  const first = own.filter(isFirst);
  const booked = first.filter((each) => transferAt(each, nowMs).state === 'booked');
  const back = transfers.filter(({ returns }) => first.some(({ seq }) => seq === returns));
  const moved = (each: Transfer) => ({
    leg_id: transferId(each.seq),
    amount: fromMinor(each.amount),
    completed_at: new Date(each.booksMs ?? each.entersMs).toISOString(),
  });
  const attempt = blank(name, ref as Parameters<typeof blank>[1]);
  return {
    ...attempt,
    report: {
      ...attempt.report,
      status: reportStatus(first, nowMs),
      legs: booked.map((each) => ({ ...moved(each), file: false })),
      returns: back.map((each) => ({ ...moved(each), of_leg_id: transferId(each.returns ?? 0) })),
    },
  };
}

/** A payment has no open order. */
function reportStatus([first]: readonly Transfer[], nowMs: number): ProviderReport['status'] {
  if (first?.direction !== 'out') return 'withdrawn';
  return ({ pending: 'open', booked: 'completed', rejected: 'declined' } as const)[
    transferAt(first, nowMs).state
  ];
}
