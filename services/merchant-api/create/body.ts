import { isIP } from 'node:net';
import { z } from 'zod';
import { amountPattern, isZero } from '#shared/domain/money.ts';
import { currencies, isMethod, methods } from '#shared/domain/methods.ts';
import type { FieldError } from '#shared/http/problems.ts';
import type { ValidationOptions } from '#shared/http/validate.ts';

const maxCodePoints = 512;

/** Any text that survives storage as it was sent (contract §3.3). */
const text = z
  .string()
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must not hold U+0000 or lone surrogates')
  .refine(
    (value) => Array.from(value).length <= maxCodePoints,
    `must have at most ${maxCodePoints} characters`,
  );

export const identifier = text.min(1, 'must not be empty');

/** The create request that payments and payouts share (specification 2.1). */
export const createBodySchema = z.strictObject({
  merchant_operation_id: identifier,
  client_id: identifier,
  client_ip: z
    .string()
    .refine((value) => isIP(value) !== 0 && !value.includes('%'), 'must be an IPv4 or IPv6 address')
    .optional(),
  method: z.enum(Object.keys(methods) as [keyof typeof methods]),
  amount: z
    .string()
    .regex(amountPattern, 'must be a decimal with two places, such as "100.00"')
    .refine((value) => !amountPattern.test(value) || !isZero(value), 'must be more than zero'),
  currency: z.enum(currencies),
  number: text.optional(),
  name: text.optional(),
  bankname: text.optional(),
});

export type CreateBody = z.infer<typeof createBodySchema>;

export const createBodyRules: ValidationOptions = {
  scoped: true,
  codes: {
    client_ip: 'client_ip_invalid',
    method: 'method_unknown',
    amount: 'amount_invalid',
    currency: 'currency_unknown',
    number: 'number_invalid',
    bankname: 'bankname_unknown',
  },
  across: currencyOfMethod,
};

function currencyOfMethod({ method, currency }: Readonly<Record<string, unknown>>): FieldError[] {
  if (typeof method !== 'string' || !isMethod(method)) return [];
  if (!currencies.some((known) => known === currency) || currency === methods[method].currency) return [];
  return [
    {
      pointer: '/currency',
      code: 'currency_method_mismatch',
      detail: `${method} is in ${methods[method].currency}`,
    },
  ];
}
