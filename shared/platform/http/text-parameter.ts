import { z } from 'zod';
import { isStorable, notStorable } from '#shared/platform/storable.ts';

/** A text to compare with: no row holds U+0000, and PostgreSQL takes none. */
export const textParameter = z.string().max(2048).refine(isStorable, notStorable).optional();
