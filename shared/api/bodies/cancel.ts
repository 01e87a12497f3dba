import { z } from 'zod';
import { isStorable, notStorable } from '#shared/platform/storable.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';
import type { ValidationOptions } from '#shared/platform/http/validate.ts';
import { operationReferenceRules, operationReferenceSchema } from './operation-reference.ts';

const maxReasonBytes = 2048;

/** The reason that is stored when the merchant gives none (R8.2). */
export const defaultReason = 'cancel';

/** One payment by one of its identifiers, and why (R8.2). */
export const cancelBodySchema = operationReferenceSchema.extend({
  reason: z
    .string()
    .refine(isStorable, notStorable)
    .optional()
    .meta({ description: `At most ${maxReasonBytes} bytes of UTF-8` }),
});

export const cancelBodyRules: ValidationOptions = {
  ...operationReferenceRules,
  across: (body) => [...(operationReferenceRules.across?.(body) ?? []), ...tooLong(body)],
};

function tooLong({ reason }: Readonly<Record<string, unknown>>): FieldError[] {
  if (typeof reason !== 'string' || Buffer.byteLength(reason, 'utf8') <= maxReasonBytes) return [];
  return [
    { pointer: '/reason', code: 'reason_too_long', detail: `at most ${maxReasonBytes} bytes` },
  ];
}
