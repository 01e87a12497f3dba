import type { BankTransfer } from '#examples/bank/connector/wire.ts';

/**
 * A transfer as the bank stores it: the times at which something happens to it. Its state follows
 * from the clock, so nothing has to run for it.
 */
export type Transfer = {
  /** In the order of their arrival at the bank. */
  seq: number;
  account: string;
  direction: 'in' | 'out';
  /** In minor units. */
  amount: bigint;
  party: string;
  purpose: string;
  /** When the bank receives it: later than it was sent if it was delayed. */
  entersMs: number;
  /** Absent: it waits for a command. */
  booksMs?: number | undefined;
  rejectedMs?: number | undefined;
  /** The transfer whose money it takes back. */
  returns?: number | undefined;
};

export const transferId = (seq: number): string => `T${String(seq).padStart(9, '0')}`;

/** Undefined where the text is no transfer's id. */
export function parseTransferId(id: string): number | undefined {
  return /^T\d{9,12}$/.test(id) ? Number(id.slice(1)) : undefined;
}

export function stateAt(transfer: Transfer, nowMs: number): BankTransfer['state'] {
  const { booksMs, rejectedMs } = transfer;
  if (rejectedMs !== undefined && rejectedMs <= nowMs) return 'rejected';
  return booksMs !== undefined && booksMs <= nowMs ? 'booked' : 'pending';
}

/** The transfer as the bank reports it at a time. */
export function transferAt(transfer: Transfer, nowMs: number): BankTransfer {
  const { seq, account, direction, amount, purpose, entersMs, booksMs, returns } = transfer;
  const state = stateAt(transfer, nowMs);
  return {
    transfer: transferId(seq),
    account,
    direction,
    amount: String(amount),
    currency: 'RUB',
    purpose,
    state,
    entered: iso(entersMs),
    ...(state === 'booked' && booksMs !== undefined && { booked: iso(booksMs) }),
    ...(returns !== undefined && { returns: transferId(returns) }),
  };
}

/** Money that went into or out of the account. */
export type BankMovement = {
  transfer: string;
  direction: 'in' | 'out';
  amount: bigint;
  atMs: number;
  purpose: string;
  returns?: string | undefined;
  /** Only if it belongs to no transfer. */
  category?: 'fee' | 'settlement' | 'other' | undefined;
};

/** What moved because of a transfer up to a time. */
export function toTransferMovements(transfer: Transfer, nowMs: number): BankMovement[] {
  if (stateAt(transfer, nowMs) !== 'booked') return [];
  const { seq, direction, amount, purpose, booksMs = 0, returns } = transfer;
  const movement: BankMovement = {
    transfer: transferId(seq),
    direction,
    amount,
    atMs: booksMs,
    purpose,
  };
  return [returns === undefined ? movement : { ...movement, returns: transferId(returns) }];
}

export const iso = (ms: number): string => new Date(ms).toISOString();
/** The bank's days are those of UTC. */
export const toBankDay = (ms: number): string => iso(ms).slice(0, 10);
