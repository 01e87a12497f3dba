import { z } from 'zod';
import { isStorable, notStorable } from '#shared/platform/storable.ts';

/**
 * A text of a provider that every store accepts: PostgreSQL rejects U+0000 and its indexes long
 * keys, and a read model that receives one stops.
 */
export const wireText = (maxLength: number) =>
  z.string().max(maxLength).refine(isStorable, notStorable);

/**
 * A provider's time. ISO 8601 has a year 0, which no store can hold: work due then would never be
 * done.
 */
export const wireTime = z.iso
  .datetime()
  .refine((value) => value >= '1970', 'must be a time since 1970');
