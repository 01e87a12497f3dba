import { z } from 'zod';
import { wireText, wireTime } from '#shared/application/providers/wire-values.ts';

/**
 * The bank's wire format: what both sides share, and all that they share. Form-encoded text, one
 * record on each line, and amounts in minor units. See `docs/merchants/sandbox-bank.md`.
 */

export const bankContentType = 'application/x-www-form-urlencoded';

export type BankRecord = Readonly<Record<string, string | undefined>>;

export function encodeRecords(records: readonly BankRecord[]): string {
  return records
    .map((record) =>
      Object.entries(record).filter((field): field is [string, string] => field[1] !== undefined),
    )
    .map((fields) => `${new URLSearchParams(fields).toString()}\n`)
    .join('');
}

/** The records of a text; undefined if it is cut off, is no UTF-8 or names a field twice. */
export function decodeRecords(body: Uint8Array): BankRecord[] | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
  if (!text.endsWith('\n')) return undefined;
  const records = text.slice(0, -1).split('\n').map(decodeRecord);
  return records.includes(undefined) ? undefined : (records as BankRecord[]);
}

function decodeRecord(line: string): BankRecord | undefined {
  const fields = [...new URLSearchParams(line)];
  const record = Object.fromEntries(fields);
  return Object.keys(record).length === fields.length ? record : undefined;
}

const minor = z.string().regex(/^[1-9]\d{0,16}$/, 'must be a positive number of minor units');
const balance = z.string().regex(/^(0|-?[1-9]\d{0,20})$/, 'must be a number of minor units');
const day = z.iso.date();
const account = z.string().regex(/^\d{20}$/, 'must be an account of 20 digits');
const count = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number);
/** The longest purpose of a transfer. */
export const maxPurposeLength = 210;
/**
 * A payer's free text, which is searched and not stored: whatever it is, the other transfers are
 * read.
 */
const words = z.string();

export const bankPaths = {
  account: (number: string): string => `/accounts/${number}`,
  transfers: '/transfers',
  transfer: (id: string): string => `/transfers/${encodeURIComponent(id)}`,
  listing: (of: { account: string; day: string; page: number }): string =>
    `/transfers?${new URLSearchParams({ ...of, page: String(of.page) }).toString()}`,
  statement: (of: { account: string; day: string; page: number }): string =>
    `/statements?${new URLSearchParams({ ...of, page: String(of.page) }).toString()}`,
};

/** An order to transfer money away. Sent twice it is two transfers: it has no key. */
export const bankOrderSchema = z.strictObject({
  account,
  amount: minor,
  currency: z.literal('RUB'),
  to: z.string().regex(/^\+?\d{10,19}$/, 'must be a card or a phone number'),
  to_bank: wireText(64).optional(),
  to_name: wireText(256).optional(),
  purpose: wireText(maxPurposeLength),
});
export type BankOrder = z.infer<typeof bankOrderSchema>;

export const bankTransferSchema = z.object({
  transfer: wireText(32).min(1),
  account,
  direction: z.enum(['in', 'out']),
  amount: minor,
  currency: z.literal('RUB'),
  purpose: words,
  state: z.enum(['pending', 'booked', 'rejected']),
  entered: wireTime,
  booked: wireTime.optional(),
  /** The transfer, of the other direction, whose money it takes back: all of it or a part. */
  returns: wireText(32).min(1).optional(),
});
export type BankTransfer = z.infer<typeof bankTransferSchema>;

/** The answer to an order: the transfer that was entered, or a clear no. */
export const bankOrderedSchema = z.discriminatedUnion('result', [
  bankTransferSchema.extend({ result: z.literal('entered') }),
  z.object({ result: z.literal('rejected'), code: wireText(64).min(1) }),
]);

/** The first line of a page of transfers; the others are transfers, in the order of their entry. */
export const bankPageSchema = z.object({
  account,
  day,
  page: count,
  /** Lines that follow. */
  lines: count,
  more: z.enum(['yes', 'no']),
});

export const bankAccountSchema = z.object({
  account,
  holder: wireText(256).min(1),
  card: z.string().regex(/^\d{12,19}$/),
  phone: z.string().regex(/^\+\d{10,15}$/),
  bank: wireText(64).min(1),
  bank_name: wireText(256).min(1),
  currency: z.literal('RUB'),
  state: z.enum(['open', 'closed']),
  balance,
});
export type BankAccount = z.infer<typeof bankAccountSchema>;

/**
 * A page of a daily statement: one opening line, a line for each movement of money, one closing
 * line.
 */
export const bankOpeningSchema = z.object({
  line: z.literal('opening'),
  account,
  currency: z.literal('RUB'),
  day,
  page: count,
  /** The day's opening balance, the same on each of its pages. */
  balance,
  /** `no`: the day is not over. */
  final: z.enum(['yes', 'no']),
});
export const bankMovementSchema = z.object({
  line: z.literal('movement'),
  transfer: wireText(32).min(1),
  direction: z.enum(['in', 'out']),
  amount: minor,
  time: wireTime,
  purpose: words,
  /** The money of this transfer came back. */
  returns: wireText(32).optional(),
  /** If it is not a transfer between the account and another one. */
  category: z.enum(['fee', 'settlement', 'other']).optional(),
});
/** `lines`: of this page. */
export const bankClosingSchema = z.object({
  line: z.literal('closing'),
  balance,
  lines: count,
  more: z.enum(['yes', 'no']),
});
