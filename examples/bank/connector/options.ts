import { z } from 'zod';
import type { Route } from '#shared/domain/routing.ts';

/** What a route's options may say. */
const optionsSchema = z.strictObject({
  /** How long a payer has. */
  payable_s: z.int().min(1).max(86_400).default(1800),
});

/** Undefined where they make no sense: what comes by such a route is refused. */
export const readOptions = ({
  options,
}: Pick<Route, 'options'>): z.infer<typeof optionsSchema> | undefined =>
  optionsSchema.safeParse(options ?? {}).data;
