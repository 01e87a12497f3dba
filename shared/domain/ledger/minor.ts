import { signedAmountPattern } from './events.ts';

/** Money as an integer number of hundredths: the ledger adds and compares, it never divides. */
export type Minor = bigint;

/** @throws unless the text is a decimal with two places */
export function toMinor(amount: string): Minor {
  if (!signedAmountPattern.test(amount)) throw new Error(`no amount of money: ${amount}`);
  return BigInt(amount.replace('.', ''));
}

export function fromMinor(minor: Minor): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
