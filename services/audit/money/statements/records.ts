import { hash } from 'node:crypto';

/** The kind of money of a line or leg: a transfer and its return may have the same id. */
export const moneys = ['transfer', 'return', 'fee', 'settlement', 'other'] as const;
export type Money = (typeof moneys)[number];

/** A line, or money that an operation counts, in the form in which the two are compared. */
export type MoneyRecord = {
  /** A hash of the leg's id and account: 16 bytes in hex. */
  key: string;
  money: Money;
  direction: 'in' | 'out';
  /** A hash of the operation's id; undefined if a line names none. */
  operation?: bigint | undefined;
  /** For a return: a hash of the id of its leg; undefined if it is not known. */
  ofLeg?: bigint | undefined;
  /** In minor units. */
  amount: bigint;
  position: number;
} & (
  | { of: 'line'; statement: number; import: number; line: number }
  | { of: 'leg'; account: number; day: number }
);

export const moneyRecordBytes = 64;

export const legKey = (account: string, legId: string): string =>
  hash('sha256', `${account}\0${legId}`, 'hex').slice(0, 32);

export const hashId = <Id extends string | undefined>(
  id: Id,
): Id extends string ? bigint : bigint | undefined =>
  (id === undefined ? undefined : hash('sha256', id, 'buffer').readBigUInt64BE()) as never;

export function writeRecord(record: MoneyRecord): Buffer {
  const bytes = Buffer.alloc(moneyRecordBytes);
  bytes.write(record.key, 0, 'hex');
  bytes[16] = record.of === 'line' ? 1 : 2;
  bytes[17] = moneys.indexOf(record.money);
  bytes[18] = record.direction === 'in' ? 1 : 0;
  bytes[19] = record.operation === undefined ? 0 : 1;
  bytes.writeBigUInt64LE(record.operation ?? 0n, 20);
  // Larger than any amount, so in two parts. A sum of corrections may be negative.
  bytes.writeBigInt64LE(record.amount, 28);
  bytes.writeDoubleLE(record.position, 36);
  const [first, second, third] =
    record.of === 'line'
      ? [record.statement, record.import, record.line]
      : [record.account, record.day, 0];
  bytes.writeUInt32LE(first, 44);
  bytes.writeUInt32LE(second, 48);
  bytes.writeUInt32LE(third, 52);
  // No id hashes to 0, which encodes undefined.
  bytes.writeBigUInt64LE(record.ofLeg ?? 0n, 56);
  return bytes;
}

export function* readRecords(bytes: Buffer): Generator<MoneyRecord> {
  for (let at = 0; at < bytes.length; at += moneyRecordBytes) {
    const [first, second, third] = [44, 48, 52].map((offset) => bytes.readUInt32LE(at + offset));
    const common = {
      key: bytes.toString('hex', at, at + 16),
      money: moneys[bytes[at + 17] ?? 0] ?? 'other',
      direction: bytes[at + 18] === 1 ? ('in' as const) : ('out' as const),
      operation: bytes[at + 19] === 1 ? bytes.readBigUInt64LE(at + 20) : undefined,
      amount: bytes.readBigInt64LE(at + 28),
      position: bytes.readDoubleLE(at + 36),
      ofLeg: bytes.readBigUInt64LE(at + 56) || undefined,
    };
    yield bytes[at + 16] === 1
      ? { ...common, of: 'line', statement: first ?? 0, import: second ?? 0, line: third ?? 0 }
      : { ...common, of: 'leg', account: first ?? 0, day: second ?? 0 };
  }
}
