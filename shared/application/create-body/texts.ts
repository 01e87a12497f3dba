import { z } from 'zod';
import type { RequestText } from '#shared/domain/operation/fields/entry.ts';
import { requestTexts } from '#shared/domain/operation/fields/request.ts';
import { isStorable, notStorable } from '#shared/platform/storable.ts';

const mostCodePoints = 512;

/** Any text that survives storage as it was sent (R3.2). */
const textUpTo = (maxCodePoints: number) =>
  z
    .string()
    .refine(isStorable, notStorable)
    .refine(
      (value) => Array.from(value).length <= maxCodePoints,
      `must have at most ${maxCodePoints} characters`,
    )
    .meta({ maxLength: maxCodePoints });

const identifierUpTo = (maxLength: number) =>
  textUpTo(maxLength).min(1, 'must not be empty').meta({ maxLength });

export const text = textUpTo(mostCodePoints);
export const identifier = identifierUpTo(mostCodePoints);

function toSchema({ required, maxCodePoints = mostCodePoints, about, example }: RequestText) {
  const meta = { description: about, examples: [example] };
  return required
    ? identifierUpTo(maxCodePoints).meta({ ...meta, maxLength: maxCodePoints })
    : textUpTo(maxCodePoints).optional().meta(meta);
}

type Texts = typeof requestTexts;

/** The texts of a create that are fields of the operation object. */
export const requestTextSchemas = Object.fromEntries(
  Object.entries(requestTexts).map(([name, each]) => [name, toSchema(each)]),
) as {
  [Name in keyof Texts]: Texts[Name]['required'] extends true
    ? z.ZodString
    : z.ZodOptional<z.ZodString>;
};
