import {
  bankName,
  defaultRecipientName,
  destinationOf as kindOf,
  hasBanks,
  isMethod,
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

/** What a payout's destination lacks or gets wrong (R3.7, R3.8). */
export function destinationErrors(body: Fields): FieldError[] {
  return [...numberErrors(body), ...bankErrors(body)];
}

function numberErrors({ method, number }: Fields): FieldError[] {
  const at = { pointer: '/number' };
  if (number === undefined) {
    return [
      { ...at, code: 'number_required', detail: 'a payout needs the number of its destination' },
    ];
  }
  if (typeof number !== 'string' || typeof method !== 'string' || !isMethod(method)) return [];
  const { pattern, rule } = kindOf(method);
  if (pattern.test(storedNumber(method, number))) return [];
  return [{ ...at, code: 'number_invalid', detail: `must be ${rule}` }];
}

function bankErrors({ method, bankname }: Fields): FieldError[] {
  if (typeof method !== 'string' || !isMethod(method) || !hasBanks(method)) return [];
  const at = { pointer: '/bankname' };
  if (bankname === undefined) {
    return [
      {
        ...at,
        code: 'bankname_required',
        detail: `${method} needs the bank; GET /v1/methods lists them`,
      },
    ];
  }
  if (typeof bankname !== 'string' || bankName(method, bankname) !== undefined) return [];
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
export function destinationOf(body: Destination): Requisites {
  const { method, number = '', name = '', bankname = '' } = body;
  const details = bankName(method, bankname);
  return {
    number: storedNumber(method, number),
    name: name === '' ? defaultRecipientName : name,
    ...(details !== undefined && { bankname, bankname_details: details }),
  };
}
