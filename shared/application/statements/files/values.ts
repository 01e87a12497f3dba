/** A bank's amount: `100`, `100,5` and `100.00000` have two places; undefined for any other text. */
export function bankAmount(text: string): string | undefined {
  const [, integer, places = ''] = /^0*(\d{1,15})(?:[.,](\d{0,5}))?$/.exec(text.trim()) ?? [];
  if (integer === undefined || !/^0*$/.test(places.slice(2))) return undefined;
  return `${integer.replace(/^0+(?=\d)/, '')}.${places.slice(0, 2).padEnd(2, '0')}`;
}

const mostFieldLength = 4_096;

/** A field's text with a bounded length. One that was cut is no amount, date or id any more. */
export const cut = (text: string): string =>
  text.length > mostFieldLength ? `${text.slice(0, mostFieldLength)}…` : text;

/** A balance: negative if the account is overdrawn. */
export const signedBalance = (amount: string, isDebit: boolean): string =>
  isDebit && amount !== '0.00' ? `-${amount}` : amount;

/** A date without a time, as a timestamp. */
export const dayStartUtc = (day: string): string => `${day}T00:00:00Z`;

const operationId = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/**
 * The operation that a movement's purpose names, or, of money that the gateway sent, a reference:
 * the payer's bank may fill those of incoming money with ids of its own. A purpose that names
 * several operations names none. Whoever writes a wrong name makes a finding: it confirms nothing,
 * since only the named operation's own leg has the movement's id.
 */
export function findNamedOperation(
  { kind, direction }: { kind: string; direction: string },
  { purpose, references = '' }: { purpose: string; references?: string },
): string | undefined {
  const isSent = direction === 'out' || kind === 'return';
  for (const text of [isSent ? references : '', purpose]) {
    const named = new Set(text.match(operationId)?.map((each) => each.toLowerCase()));
    if (named.size > 0) return named.size === 1 ? [...named][0] : undefined;
  }
  return undefined;
}

/** The reverse of an earlier movement's direction. */
export const reversalKind = (direction: string): string =>
  direction === 'in' ? 'return' : 'chargeback';

/** The id of a movement for which the bank has none: the same in the same file. */
export const placeIn = (completedAt: string, entryNumber: string | number): string =>
  `${completedAt.slice(0, 10)}/${entryNumber}`;
