import { hash } from 'node:crypto';
import type { ExactMinor } from '../../log/operation/exact-arithmetic.ts';

/**
 * Records that compare the money of an operation in the books with what the operation counts. They
 * are spilled to files, as there may be more than memory holds. The money of an operation's end is
 * one part, and each late leg is one.
 */
export type BookRecord = {
  /** The operation's id: 16 bytes in hex. */
  operation: string;
  /** `unknown`: an old entry without the converted amount. */
  what: (typeof whats)[number];
  /** `endPart`, or made by `latePart`. */
  part: bigint;
  /** From the account's side: positive if money came in. */
  amount: ExactMinor;
  /** For counted money. Day 0: unknown. */
  account: number;
  day: number;
  position: number;
};

const whats = ['counted', 'booked', 'unknown', 'ended'] as const;

/** The part for the money of an operation's end. */
export const endPart = 0n;

export const latePart = (legId: string, ofLegId: string | undefined): bigint =>
  hash('sha256', `${legId}\0${ofLegId === undefined ? '' : 'back'}`, 'buffer').readBigUInt64LE() |
  1n;

export const bookRecordBytes = 56;

/** An operation's id in the form used by records. */
export const operationKey = (operationId: string): string => {
  const hex = operationId.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) ? hex : hash('sha256', operationId, 'hex').slice(0, 32);
};

export const parseOperationKey = (key: string): string =>
  key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export function writeBookRecord(record: BookRecord): Buffer {
  const bytes = Buffer.alloc(bookRecordBytes);
  bytes.write(record.operation, 0, 'hex');
  bytes[16] = whats.indexOf(record.what);
  bytes.writeBigUInt64LE(record.part, 20);
  bytes.writeBigInt64LE(record.amount, 28);
  bytes.writeUInt32LE(record.account, 36);
  bytes.writeUInt32LE(record.day, 40);
  bytes.writeDoubleLE(record.position, 44);
  return bytes;
}

export function* readBookRecords(bytes: Buffer): Generator<BookRecord> {
  for (let at = 0; at < bytes.length; at += bookRecordBytes)
    yield {
      operation: bytes.toString('hex', at, at + 16),
      what: whats[bytes[at + 16] ?? 0] ?? 'unknown',
      part: bytes.readBigUInt64LE(at + 20),
      amount: bytes.readBigInt64LE(at + 28),
      account: bytes.readUInt32LE(at + 36),
      day: bytes.readUInt32LE(at + 40),
      position: bytes.readDoubleLE(at + 44),
    };
}

type BookDifference = {
  account: number;
  day: number;
  counted: ExactMinor;
  booked: ExactMinor;
  /** Whether something was posted. If not, the entry may still be in flight. */
  posted: boolean;
};

/**
 * The parts of an operation's money whose amount in the books differs, each with the day of its
 * newest money.
 */
export function differing(records: readonly BookRecord[]): BookDifference[] {
  const ended = records.some(({ what }) => what === 'ended');
  const groups = Map.groupBy(
    records.filter(({ what }) => what !== 'ended'),
    ({ part }) => part,
  );
  return [...groups].flatMap(([part, some]) => {
    const money = some.filter(({ what }) => what === 'counted');
    const newest = money.toSorted((left, right) => left.day - right.day).at(-1);
    const booked = some.filter(({ what }) => what === 'booked');
    const posted = booked.length > 0;
    const isCounted = part !== endPart || ended;
    if (!newest || newest.day === 0 || some.some(({ what }) => what === 'unknown')) return [];
    const sums = {
      counted: isCounted ? sumBookRecords(money) : 0n,
      booked: sumBookRecords(booked),
      posted,
    };
    if (sums.counted === sums.booked) return [];
    return [{ account: newest.account, day: newest.day, ...sums }];
  });
}

const sumBookRecords = (records: readonly BookRecord[]): ExactMinor =>
  records.reduce((sum, { amount }) => sum + amount, 0n);
