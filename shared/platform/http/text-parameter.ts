import { z } from 'zod';
import { isStorable, notStorable } from '#shared/platform/storable.ts';

/** A text to compare with. No row can hold U+0000, which PostgreSQL refuses. */
export const textParameter = z.string().max(2048).refine(isStorable, notStorable).optional();
