import { z } from 'zod';

/** A text to compare with: no row holds U+0000, and PostgreSQL takes none. */
export const textParameter = z
  .string()
  .max(2048)
  .refine(
    (text) => text.isWellFormed() && !text.includes('\0'),
    'must not hold U+0000 or lone surrogates',
  )
  .optional();
