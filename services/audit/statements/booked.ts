import { hash } from 'node:crypto';
import type { Minor } from '../operation/exact.ts';

/**
 * What the books have of an operation's money beside what the operation counts, as records of
 * files: there may be more of them than memory holds. The money of an operation's end is one part,
 * and each late leg one of its own.
 */
export type BookRecord = {
  /** The operation's id: 16 bytes in hex. */
  operation: string;
  /** `unknown`: an entry of old that does not say what it converted. */
  what: (typeof whats)[number];
  /** Of the operation's end, or by `latePart`. */
  part: bigint;
  /** Seen from the account: above zero where it came in. */
  amount: Minor;
  /** Of counted money; a day of 0 tells none. */
  account: number;
  day: number;
  position: number;
};

const whats = ['counted', 'booked', 'unknown', 'ended'] as const;

/** The money that an operation's end is about. */
export const endPart = 0n;

export const latePart = (legId: string, ofLegId: string | undefined): bigint =>
  hash('sha256', `${legId}\0${ofLegId ?? ''}`, 'buffer').readBigUInt64LE() | 1n;

export const bookRecordBytes = 56;

/** An operation's id as records have it. */
export const operationKey = (operationId: string): string => {
  const hex = operationId.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) ? hex : hash('sha256', operationId, 'hex').slice(0, 32);
};

export const operationIdOf = (key: string): string =>
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

export type Differing = {
  account: number;
  day: number;
  counted: Minor;
  booked: Minor;
  /** Something was posted; nothing may be about to be. */
  posted: boolean;
};

/**
 * The parts of an operation's money of which the books have another amount, each on the day of its
 * newest money.
 */
export function differing(records: readonly BookRecord[]): Differing[] {
  const ended = records.some(({ what }) => what === 'ended');
  const parts = Map.groupBy(
    records.filter(({ what }) => what !== 'ended'),
    ({ part }) => part,
  );
  return [...parts].flatMap(([part, some]) => {
    const money = some.filter(({ what }) => what === 'counted');
    const newest = money.toSorted((left, right) => left.day - right.day).at(-1);
    const booked = some.filter(({ what }) => what === 'booked');
    const posted = booked.length > 0;
    const owed = part !== endPart || ended;
    if (!newest || newest.day === 0 || some.some(({ what }) => what === 'unknown')) return [];
    const found = { counted: owed ? sumOf(money) : 0n, booked: sumOf(booked), posted };
    if (found.counted === found.booked) return [];
    return [{ account: newest.account, day: newest.day, ...found }];
  });
}

const sumOf = (records: readonly BookRecord[]): Minor =>
  records.reduce((sum, { amount }) => sum + amount, 0n);
