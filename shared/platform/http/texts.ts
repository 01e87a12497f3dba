import { z } from 'zod';

const maxNameCodePoints = 200;
const maxClientIdCodePoints = 512;
const maxNoteCodePoints = 2000;

/** A text of at most so many code points that JSON, PostgreSQL and people can read. */
export function textOf(maxCodePoints: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine(
      (value) => value.isWellFormed() && !value.includes('\0'),
      'must not hold U+0000 or lone surrogates',
    )
    .refine(
      (value) => Array.from(value).length <= maxCodePoints,
      `must have at most ${maxCodePoints} characters`,
    );
}

/** What a merchant calls a client (R3.2). */
export const clientIdText = textOf(maxClientIdCodePoints);
/** What an operator calls something. */
export const nameText = textOf(maxNameCodePoints);
/** Why an operator decided so. */
export const noteText = textOf(maxNoteCodePoints);
