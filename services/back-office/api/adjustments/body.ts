import { z } from 'zod';
import { isStorable, notStorable } from '#shared/platform/storable.ts';
import { decimalErrors } from '#shared/application/create-body/decimals.ts';
import { currencies } from '#shared/domain/currencies.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';
import type { ValidationOptions } from '#shared/platform/http/validate.ts';

const maxIdCodePoints = 512;
const maxReasonBytes = 2048;

const text = z.string().min(1, 'must not be empty').refine(isStorable, notStorable);

/** A correction of a shop's balance (R12.14): a signed amount, never zero. */
export const adjustmentBody = z.strictObject({
  adjustment_id: text.refine(
    (value) => Array.from(value).length <= maxIdCodePoints,
    `must have at most ${maxIdCodePoints} characters`,
  ),
  currency: z.enum(currencies),
  amount: z
    .string()
    .regex(/^-?(0|[1-9]\d{0,14})\.\d{2}$/, 'must be a decimal with two places, such as "-10.00"')
    .refine((amount) => !/^-?0\.00$/.test(amount), 'must not be zero'),
  reason: text,
});

export const adjustmentRules: ValidationOptions = {
  codes: { currency: 'currency_unknown', amount: 'amount_invalid' },
  across: ({ reason, currency, amount }): FieldError[] => [
    ...decimalErrors(currency, { '/amount': amount }),
    ...(typeof reason === 'string' && Buffer.byteLength(reason, 'utf8') > maxReasonBytes
      ? [{ pointer: '/reason', code: 'reason_too_long', detail: `at most ${maxReasonBytes} bytes` }]
      : []),
  ],
};
