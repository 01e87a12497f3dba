import {
  bankName,
  defaultRecipientName,
  methodDestination,
  hasBanks,
  isMethod,
  methodNames,
  storedNumber,
  type Method,
} from '#shared/domain/methods/index.ts';
import type { Requisites } from '#shared/domain/operation/events.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';

/** The destination of a payout in a body. */
type Destination = { method: Method } & {
  [field in 'number' | 'name' | 'bankname']?: string | undefined;
};
type Fields = Readonly<Record<string, unknown>>;

/**
 * What a payout's destination lacks or gets wrong (R3.7, R3.8). While the method is unknown, what
 * is wrong for each that it may be.
 */
export function destinationErrors({ method, number, bankname }: Fields): FieldError[] {
  const possible: readonly Method[] =
    typeof method === 'string' && isMethod(method) ? [method] : methodNames;
  const fitting = possible.filter(
    (each) =>
      typeof number === 'string' &&
      methodDestination(each).pattern.test(storedNumber(each, number)),
  );
  return [
    ...numberErrors(number, { possible, fits: fitting.length > 0 }),
    ...bankErrors(bankname, fitting.length > 0 ? fitting : possible),
  ];
}

function numberErrors(
  number: unknown,
  { possible, fits }: { possible: readonly Method[]; fits: boolean },
): FieldError[] {
  const at = { pointer: '/number' };
  if (number === undefined) {
    return [
      { ...at, code: 'number_required', detail: 'a payout needs the number of its destination' },
    ];
  }
  if (typeof number !== 'string' || fits) return [];
  const rules = new Set(possible.map((each) => methodDestination(each).rule));
  return [{ ...at, code: 'number_invalid', detail: `must be ${[...rules].join(', or ')}` }];
}

function bankErrors(bankname: unknown, possible: readonly Method[]): FieldError[] {
  if (!possible.every(hasBanks)) return [];
  const at = { pointer: '/bankname' };
  if (bankname === undefined) {
    return [
      {
        ...at,
        code: 'bankname_required',
        detail: `${possible.join(' or ')} needs the bank; GET /v1/methods lists them`,
      },
    ];
  }
  const isKnown = (bank: string) => possible.some((each) => bankName(each, bank) !== undefined);
  if (typeof bankname !== 'string' || isKnown(bankname)) return [];
  return [
    {
      ...at,
      code: 'bankname_unknown',
      detail: 'not in the bank dictionary; GET /v1/methods lists it',
    },
  ];
}

/**
 * A payout's destination, as it is stored and sent to the provider: the number without separators,
 * the default name if none was given, and the bank only if the method has banks. `body` must be
 * valid for a payout.
 */
export function readRequisites(body: Destination): Requisites {
  const { method, number = '', name = '', bankname = '' } = body;
  const details = bankName(method, bankname);
  return {
    number: storedNumber(method, number),
    name: name === '' ? defaultRecipientName : name,
    ...(details !== undefined && { bankname, bankname_details: details }),
  };
}
