import type { Item } from './item.ts';
import { bankAmount, findNamedOperation, placeIn, reversalKind, dayStartUtc } from './values.ts';

/** A field :61: with the fields :86: after it. */
export type Mt940Entry = { line: number; text: string; purposes: string[] };

const movement =
  /^(\d{6})(\d{4}| {4})?(R?[CD]|E[CD])[A-Z]?([\d.,]+)(?: ?((?!NONREF)[NSF][A-Z\d ]{3})|(?=\/\/|NONREF))(.*?)(?:\/\/(.*))?$/;

/** There is none, or it is in field :86:; Rabobank has the name of a shop behind it. */
const noReference = /^(?:NONREF|NOTPROVIDED|[EKP]REF\+?|MARF)(?: {2}|$)/;
/**
 * The counterparty's account, which each payment to it has: in Rabobank's classic form filled up to
 * the 16 characters of a reference, with a name behind it, and in ASN's an IBAN, which is longer.
 */
const accountAsReference = /^(?:P?\d{9,10} {6,7}(?<=^.{16})\S|[A-Z]{2}\d{2}[A-Z\d]{13,30}$)/;

export function createMt940Movement(
  { line, text, purposes }: Mt940Entry,
  { currency, entryNumber }: { currency: string | undefined; entryNumber: number },
): Item {
  const [first = '', ...details] = text.split('\n');
  const [, value = '', booked, mark = '', amountText = '', type = '', reference = '', ofBank = ''] =
    movement.exec(first.trim()) ?? [];
  if (value === '') return { line, fault: 'syntax' };
  const day = bookingDay(value, booked?.trim() || undefined);
  const direction = mark === 'C' || mark === 'EC' || mark === 'RD' ? 'in' : 'out';
  const kind = movementKind(mark, type, direction);
  const texts = {
    purpose: purposes.map(readPurpose).join('\n'),
    references: `${reference}\n${details.join('')}`,
  };
  const ofCustomer = accountAsReference.test(reference.trim()) ? '' : reference;
  const legId = [ofBank, ofCustomer]
    .map((each) => each.trim())
    .find((each) => each !== '' && !noReference.test(each));
  const statementLine = {
    kind,
    direction,
    leg_id: legId ?? placeIn(day, entryNumber),
    operation_id: findNamedOperation({ kind, direction }, texts),
    amount: bankAmount(amountText) ?? '',
    currency,
    completed_at: dayStartUtc(day),
  };
  return { line, movement: statementLine };
}

const structured = /^(?:\d{3}\?\d{2}|\?2\d)/;
const subfield = /\?(?<code>\d{2})(?<text>(?:(?!\?\d{2}).)*)/g;

/**
 * The purpose of a field :86:, whose lines break anywhere. German and Polish banks divide it by
 * marks such as `?20`, and Triodos `>20`; those from `?30` to `?39` are of the counterparty.
 */
function readPurpose(field: string): string {
  const joined = field.replaceAll('\n', '');
  const text = /^\d{3}>\d{2}/.test(joined) ? joined.replaceAll(/>(?=\d{2})/g, '?') : joined;
  if (!structured.test(text)) return text;
  const parts = [...text.matchAll(subfield)].map(({ groups }) => groups ?? {});
  return parts
    .filter(({ code = '' }) => !code.startsWith('3'))
    .map(({ text: part = '' }) => part)
    .join('');
}

function movementKind(mark: string, type: string, direction: string): string {
  if (mark.startsWith('R') || type.endsWith('RTI')) return reversalKind(direction);
  return /(?:CHG|COM)$/.test(type) ? 'fee' : 'transfer';
}

/** The booking date, which may be in the year after the value date; by default the value date. */
function bookingDay(value: string, booked: string | undefined): string {
  const year = 2000 + Number(value.slice(0, 2));
  const month = value.slice(2, 4);
  if (booked === undefined) return `${year}-${month}-${value.slice(4)}`;
  const [bookedMonth, day] = [booked.slice(0, 2), booked.slice(2)];
  const turn = Number(bookedMonth) - Number(month);
  return `${year + (turn < -6 ? 1 : turn > 6 ? -1 : 0)}-${bookedMonth}-${day}`;
}
