import { z } from 'zod';
import type { Route } from '#shared/domain/routing.ts';

/** The options of a route. */
const optionsSchema = z.strictObject({
  /** How long a payer has. */
  payable_s: z.int().min(1).max(86_400).default(1800),
});

/** Undefined if they are invalid: operations on such a route are refused. */
export const readBankOptions = ({
  options,
}: Pick<Route, 'options'>): z.infer<typeof optionsSchema> | undefined =>
  optionsSchema.safeParse(options ?? {}).data;
