import { z } from 'zod';
import { currencies } from '../../currencies.ts';

// What answers promise of a value. What events store has schemas of its own (../events.ts).

export const amountSchema = z
  .string()
  .regex(/^(0|[1-9]\d*)\.\d{2}$/)
  .meta({ examples: ['100.00'] });
export const currencySchema = z.enum(currencies);
export const timestampSchema = z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] });
