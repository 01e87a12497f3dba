import { z } from 'zod';
import type { BankRecord } from '#examples/bank/connector/wire.ts';
import { toBankDay, iso, type BankMovement } from './transfer.ts';

const minor = z.int().positive();
const transfer = z.string().regex(/^T\d{9,12}$/, 'must be a transfer such as T000000001');
const where = {
  account: z
    .string()
    .regex(/^\d{20}$/)
    .optional(),
  day: z.iso.date().optional(),
};

/** A difference that a test plants in a statement, so that it contradicts the transfers. */
export const differenceSchema = z.discriminatedUnion('kind', [
  /** A movement has no line. */
  z.strictObject({ ...where, kind: z.literal('missing'), transfer }),
  /** A line that belongs to no transfer. */
  z.strictObject({
    ...where,
    kind: z.literal('extra'),
    direction: z.enum(['in', 'out']),
    amount: minor,
    purpose: z.string().max(210).default(''),
    category: z.enum(['fee', 'settlement', 'other']).optional(),
    /** A transfer that is reported as returned. */
    returns: transfer.optional(),
  }),
  /** A line with another amount. */
  z.strictObject({ ...where, kind: z.literal('amount'), transfer, amount: minor }),
  /** A line that is listed twice. */
  z.strictObject({ ...where, kind: z.literal('duplicate'), transfer }),
  /** A closing balance that does not follow from the lines. */
  z.strictObject({ ...where, kind: z.literal('closing'), by: z.int() }),
]);
export type StatementDifference = z.infer<typeof differenceSchema>;

type StatementOf = {
  account: string;
  day: string;
  /** The account's balance before its first movement. */
  initial: bigint;
  /** All of the account, oldest first. */
  movements: readonly BankMovement[];
  differences: readonly StatementDifference[];
  /** The number of lines, at least 1. */
  page: number;
  nowMs: number;
};

/** Lines on a page. */
const statementLines = 2_000;

/**
 * A page of the statement of a day. Its closing balance follows from its lines, unless a planted
 * difference changes it.
 */
export function buildBankStatement({
  account,
  day,
  initial,
  movements,
  differences,
  page,
  nowMs,
}: StatementOf): BankRecord[] {
  const before = movements.filter(({ atMs }) => toBankDay(atMs) < day);
  const ofDay = movements.filter(({ atMs }) => toBankDay(atMs) === day);
  const opening = computeBalance(initial, before);
  const lines = differences.reduce((left, each) => planted(left, each, day), ofDay);
  const closingError = differences.reduce(
    (sum, each) => sum + (each.kind === 'closing' ? BigInt(each.by) : 0n),
    0n,
  );
  const head = {
    line: 'opening',
    account,
    currency: 'RUB',
    day,
    page: String(page),
    balance: String(opening),
  };
  const until = page * statementLines;
  const shown = lines.slice(until - statementLines, until);
  const closing = String(computeBalance(opening, lines) + closingError);
  return [
    { ...head, final: toBankDay(nowMs) > day ? 'yes' : 'no' },
    ...shown.map(toLine),
    {
      line: 'closing',
      balance: closing,
      lines: String(shown.length),
      more: until < lines.length ? 'yes' : 'no',
    },
  ];
}

export function computeBalance(initial: bigint, movements: readonly BankMovement[]): bigint {
  return movements.reduce(
    (sum, { direction, amount }) => (direction === 'in' ? sum + amount : sum - amount),
    initial,
  );
}

function planted(
  lines: readonly BankMovement[],
  difference: StatementDifference,
  day: string,
): BankMovement[] {
  switch (difference.kind) {
    case 'missing':
      return lines.filter(({ transfer: id }) => id !== difference.transfer);
    case 'amount':
      return lines.map((line) =>
        line.transfer === difference.transfer
          ? { ...line, amount: BigInt(difference.amount) }
          : line,
      );
    case 'duplicate':
      return lines.flatMap((line) =>
        line.transfer === difference.transfer ? [line, line] : [line],
      );
    case 'extra': {
      const { direction, amount, purpose, category, returns } = difference;
      const movement = { transfer: `X${amount}`, amount: BigInt(amount), atMs: Date.parse(day) };
      return [...lines, { ...movement, direction, purpose, category, returns }];
    }
    case 'closing':
      return [...lines];
  }
}

function toLine({
  transfer: id,
  direction,
  amount,
  atMs,
  purpose,
  returns,
  category,
}: BankMovement): BankRecord {
  return {
    line: 'movement',
    transfer: id,
    direction,
    amount: String(amount),
    time: iso(atMs),
    purpose,
    ...(returns !== undefined && { returns }),
    ...(category !== undefined && { category }),
  };
}
