import { destinations, type Destination, type DestinationKind } from './destinations.ts';
import { table, type MethodEntry } from './table.ts';

export { bankLabel, bankNameIn, rubBanks } from './banks.ts';
export { destinations, type DestinationKind } from './destinations.ts';

export type Method = keyof typeof table;

export const methods: Readonly<Record<Method, MethodEntry>> = table;

export const methodNames = Object.keys(table) as [Method, ...Method[]];

/** The method that examples are made with. */
export const [exampleMethod] = methodNames;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(table, name);
}

/**
 * The kind of a method's `number`. That of an unknown method counts as a card, so that it is
 * masked.
 */
export const destinationKind = (method: string): DestinationKind =>
  isMethod(method) ? methods[method].destination : 'card';

export const methodDestination = (method: string): Destination =>
  destinations[destinationKind(method)];

/** A payout's number without the separators that people write into it. */
export function storedNumber(method: string, number: string): string {
  const { separators } = methodDestination(method);
  return separators === undefined ? number : number.replace(separators, '');
}

/** A payout's number as a merchant sees it: a card's first six and last four digits (R5.7). */
export function shownNumber(method: string, number: string): string {
  return methodDestination(method).masked ? maskCard(number) : number;
}

export function maskCard(number: string): string {
  return `${number.slice(0, 6)}${'*'.repeat(Math.max(0, number.length - 10))}${number.slice(-4)}`;
}

export const hasBanks = (method: Method): boolean => Object.keys(methods[method].banks).length > 0;

/** The bank's name for people, where the method has banks and knows the code. */
export function bankName(method: Method, code: string): string | undefined {
  const { banks } = methods[method];
  return Object.hasOwn(banks, code) ? banks[code] : undefined;
}

/** The name of a payout's recipient if the merchant gives none (R3.9). */
export const defaultRecipientName = 'аноним';

/** The texts for payers; of a method that was removed from the table, those of the first one. */
export const payerWords = (method: string): MethodEntry['payer'] =>
  methods[isMethod(method) ? method : exampleMethod].payer;
