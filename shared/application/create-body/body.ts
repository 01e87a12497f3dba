import { isIP } from 'node:net';
import { z } from 'zod';
import { amountText } from '#shared/application/amount-text.ts';
import { amountPattern, isZero } from '#shared/domain/money.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { isMethod, methods } from '#shared/domain/methods/index.ts';
import type { OperationType } from '#shared/domain/operation-type.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { decimalErrors } from './decimals.ts';
import { destinationErrors } from './destination.ts';
import { metadataErrors, metadataInputSchema } from './metadata.ts';
import { forbiddenScopeFields } from '../scope-fields.ts';
import { requestTextSchemas, text } from './texts.ts';

/**
 * The create request of payments and payouts (R3.1). It does not change the body (no defaults, no
 * trimming), because the hash of the received body distinguishes a repeat from another request.
 */
export const createBodySchema = z.strictObject({
  ...requestTextSchemas,
  client_ip: z
    .string()
    .refine((value) => isIP(value) !== 0 && !value.includes('%'), 'must be an IPv4 or IPv6 address')
    .optional()
    .meta({
      description: 'The end user’s IPv4 or IPv6 address, for antifraud.',
      examples: ['203.0.113.7'],
    }),
  method: z.enum(Object.keys(methods) as [keyof typeof methods]),
  amount: amountText
    .refine((value) => !amountPattern.test(value) || !isZero(value), 'must be more than zero')
    .meta({ description: 'More than zero, with exactly two decimals.', examples: ['100.00'] }),
  currency: z.enum(currencies).meta({ description: 'The currency of the method.' }),
  number: text
    .optional()
    .meta({ description: 'The destination of a payout: a card or a phone number.' }),
  name: text.optional().meta({ description: 'The name of a payout’s recipient.' }),
  bankname: text
    .optional()
    .meta({ description: 'The recipient’s bank of a payout by phone number.' }),
  metadata: metadataInputSchema.optional(),
});

export type CreateBody = z.infer<typeof createBodySchema>;

const codes = {
  client_ip: 'client_ip_invalid',
  method: 'method_unknown',
  amount: 'amount_invalid',
  currency: 'currency_unknown',
  number: 'number_invalid',
  bankname: 'bankname_unknown',
};

/** Checks fields against each other. */
type CrossFieldCheck = (body: Readonly<Record<string, unknown>>) => FieldError[];

const crossFieldChecks: Readonly<Record<OperationType, CrossFieldCheck>> = {
  payment: (body) => [
    ...currencyOfMethod(body),
    ...decimalErrors(body['currency'], { '/amount': body['amount'] }),
    ...metadataErrors(body),
  ],
  payout: (body) => [
    ...currencyOfMethod(body),
    ...decimalErrors(body['currency'], { '/amount': body['amount'] }),
    ...destinationErrors(body),
    ...metadataErrors(body),
  ],
};

/**
 * The create request of a payment or a payout.
 * @throws Problem invalid_request, with every invalid field (R2.2)
 */
export function parseCreateBody(type: OperationType, body: unknown): CreateBody {
  return validate(createBodySchema, body, {
    unknownFields: forbiddenScopeFields,
    codes,
    across: crossFieldChecks[type],
  });
}

function currencyOfMethod({ method, currency }: Readonly<Record<string, unknown>>): FieldError[] {
  if (!currencies.some((each) => each === currency)) return [];
  const isKnown = typeof method === 'string' && isMethod(method);
  const possible = isKnown ? [methods[method]] : Object.values(methods);
  if (possible.some((each) => each.currency === currency)) return [];
  const detail = isKnown ? `${method} is in ${methods[method].currency}` : 'no method is in it';
  return [{ pointer: '/currency', code: 'currency_method_mismatch', detail }];
}
