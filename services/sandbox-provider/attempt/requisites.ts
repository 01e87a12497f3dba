import { hash } from 'node:crypto';
import { destinationKind, isMethod, methods, rubBanks } from '#shared/domain/methods/index.ts';
import type { WireSubmission } from '#shared/application/providers/sandbox/wire.ts';

type Requisites = NonNullable<WireSubmission['destination']>;

const holders = [
  'ИВАН ПЕТРОВ',
  'МАРИЯ СОКОЛОВА',
  'АЛЕКСЕЙ КУЗНЕЦОВ',
  'ЕЛЕНА ВОЛКОВА',
  'ДМИТРИЙ ЛЕБЕДЕВ',
  'ОЛЬГА НОВИКОВА',
  'СЕРГЕЙ МОРОЗОВ',
  'АННА ВАСИЛЬЕВА',
] as const;

/** No bank issues such cards, and no operator such numbers: no person can be paid by mistake. */
const cardPrefix = '22000000';
const phonePrefix = '+7945';

/** The destination of a payment: derived from the key, so that a repeat gets the same. */
export function requisitesFor(key: string, method: string): Requisites {
  const digest = hash('sha256', key, 'buffer');
  const name = pick(holders, digest.readUInt16BE(0));
  if (destinationKind(method) === 'card') {
    const digits = String(digest.readUIntBE(2, 6) % 10_000_000).padStart(7, '0');
    return { number: withCheckDigit(`${cardPrefix}${digits}`), name };
  }
  const [bankname, details] = pick(
    Object.entries(isMethod(method) ? methods[method].banks : rubBanks),
    digest.readUInt16BE(8),
  );
  const digits = String(digest.readUIntBE(2, 6) % 10_000_000).padStart(7, '0');
  return { number: `${phonePrefix}${digits}`, name, bankname, bankname_details: details };
}

/** The purpose of the transfer, if the route requires one. */
export const purposeFor = (key: string): string =>
  `SBX${hash('sha256', `purpose ${key}`).slice(0, 12).toUpperCase()}`;

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Adds the Luhn check digit. */
export function withCheckDigit(digits: string): string {
  return `${digits}${(10 - (luhnSum(`${digits}0`) % 10)) % 10}`;
}

/** A card number is valid if this is a multiple of ten. */
export function luhnSum(digits: string): number {
  return Array.from(digits)
    .toReversed()
    .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
}
