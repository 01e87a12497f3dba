import { z } from 'zod';
import { isStorable, notStorable } from '#shared/platform/storable.ts';

const maxNameCodePoints = 200;
const maxClientIdCodePoints = 512;
const maxNoteCodePoints = 2000;

/**
 * A text of at most this many code points that JSON and PostgreSQL can store and people can read.
 */
export function boundedText(maxCodePoints: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .refine(isStorable, notStorable)
    .refine(
      (value) => Array.from(value).length <= maxCodePoints,
      `must have at most ${maxCodePoints} characters`,
    );
}

/** What a merchant calls a client (R3.2). */
export const clientIdText = boundedText(maxClientIdCodePoints);
/** Controls, line breaks, and characters that change the direction of the text after them. */
const disguising = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A name that an operator or a member chose, and that others read among other names. */
export const nameText = boundedText(maxNameCodePoints).refine(
  (value) => !disguising.test(value),
  'must be one line, without control characters',
);
/** Why an operator decided so. */
export const noteText = boundedText(maxNoteCodePoints);
