import { z } from 'zod';
import type { Metadata } from '#shared/domain/operation/events.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';
import { pointerTo } from '#shared/platform/http/validate.ts';
import { isStorable, notStorable } from '#shared/platform/storable.ts';

const maxMembers = 20;
const maxCodePoints = 500;
const keyPattern = /^[A-Za-z0-9_.-]{1,40}$/;

/** Only described here: `metadataErrors` decides, so that every value stays as it was sent. */
export const metadataInputSchema: z.ZodType<Metadata> = z.any().meta({
  type: 'object',
  description:
    'Your own notes on the operation: at most 20 texts of 500 characters, by names of `A-Z a-z 0-9 _ . -`. Returned with the operation and in its webhooks, never shown to payers or providers. Stored encrypted, and gone once the client’s personal data is erased.',
  maxProperties: maxMembers,
  propertyNames: { pattern: keyPattern.source },
  additionalProperties: { type: 'string', maxLength: maxCodePoints },
  examples: [{ 'order.id': '1042', warehouse: 'north' }],
});

/** What is wrong with the metadata of a create (R3.11). */
export function metadataErrors({ metadata }: Readonly<Record<string, unknown>>): FieldError[] {
  if (metadata === undefined) return [];
  const at = (path: readonly string[], detail: string): FieldError[] => [
    { pointer: pointerTo(['metadata', ...path]), code: 'field_invalid', detail },
  ];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return at([], 'must be an object');
  const members = Object.entries(metadata);
  if (members.length > maxMembers) return at([], `must have at most ${maxMembers} fields`);
  return members.flatMap(([key, value]) => {
    const wrong = keyPattern.test(key)
      ? wrongValue(value)
      : 'the name must have 1 to 40 characters of A-Z a-z 0-9 _ . -';
    return wrong === undefined ? [] : at([key], wrong);
  });
}

function wrongValue(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (!isStorable(value)) return notStorable;
  return Array.from(value).length > maxCodePoints
    ? `must have at most ${maxCodePoints} characters`
    : undefined;
}
