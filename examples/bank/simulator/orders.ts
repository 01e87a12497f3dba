import type { BankOrder, BankTransfer } from '#examples/bank/connector/wire.ts';
import { drawFate, type Behaviour } from './behaviour.ts';
import { movementsAt, type BankContext } from './context.ts';
import { computeBalance } from './statement.ts';
import { stateAt, transferAt } from './transfer.ts';

type OrderOutcome =
  | { outcome: 'entered'; transfer: BankTransfer }
  | { outcome: 'rejected'; code: 'rejected' | 'insufficient_funds' }
  /** The caller is never answered. */
  | { outcome: 'silence' };

/** Accepts orders of outgoing transfers, or loses them. */
export function createOrderDesk(context: BankContext): (order: BankOrder) => OrderOutcome {
  const { store, now, random } = context;

  function carryOut(order: BankOrder, behaviour: Behaviour, entersMs: number): OrderOutcome {
    if (random() < behaviour.reject) return { outcome: 'rejected', code: 'rejected' };
    const { account, to, purpose } = order;
    const amount = BigInt(order.amount);
    if (amount > available(account)) return { outcome: 'rejected', code: 'insufficient_funds' };
    const { book_ms: bookMs } = behaviour;
    const transfer = store().transfers.add({
      account,
      direction: 'out',
      amount,
      party: to,
      purpose,
      entersMs,
      booksMs: bookMs === null ? undefined : entersMs + bookMs,
    });
    return { outcome: 'entered', transfer: transferAt(transfer, now()) };
  }

  /** The balance less pending outgoing transfers. */
  function available(account: string): bigint {
    const pending = store()
      .transfers.all(account)
      .filter((transfer) => transfer.direction === 'out' && stateAt(transfer, now()) === 'pending')
      .reduce((sum, { amount }) => sum + amount, 0n);
    const initial = store().accounts.get(account)?.initial ?? 0n;
    return computeBalance(initial, movementsAt(context, account)) - pending;
  }

  return function take(order: BankOrder): OrderOutcome {
    const behaviour = store().behaviour.get();
    const fate = drawFate(behaviour, random);
    if (fate === 'lost') return { outcome: 'silence' };
    const entersMs = fate === 'late' ? now() + behaviour.late_ms : now();
    const ordered = store().transaction(() => carryOut(order, behaviour, entersMs));
    return fate === 'answered' ? ordered : { outcome: 'silence' };
  };
}
