/** A bank's amount: `100`, `100,5` and `100.00000` have two places; undefined for any other text. */
export function bankAmount(text: string): string | undefined {
  const [, integer, places = ''] = /^(\d{1,15})(?:[.,](\d{0,5}))?$/.exec(text.trim()) ?? [];
  if (integer === undefined || !/^0*$/.test(places.slice(2))) return undefined;
  return `${integer.replace(/^0+(?=\d)/, '')}.${places.slice(0, 2).padEnd(2, '0')}`;
}

/** A balance: negative if the account is overdrawn. */
export const signed = (amount: string, isDebit: boolean): string =>
  isDebit && amount !== '0.00' ? `-${amount}` : amount;

/** A date without a time, as a timestamp. */
export const startOf = (day: string): string => `${day}T00:00:00Z`;

const operationId = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i;

/**
 * The operation that a reference or purpose names: of money that the gateway sent, since a payer
 * may write anything.
 */
export function operationOf(
  { kind, direction }: { kind: string; direction: string },
  text: string,
): string | undefined {
  if (direction === 'in' && kind !== 'return') return undefined;
  return operationId.exec(text)?.[0].toLowerCase();
}

/** The reverse of an earlier movement's direction. */
export const reversalOf = (direction: string): string =>
  direction === 'in' ? 'return' : 'chargeback';

/** The id of a movement for which the bank has none: the same in the same file. */
export const placeIn = (completedAt: string, entryNumber: string | number): string =>
  `${completedAt.slice(0, 10)}/${entryNumber}`;
