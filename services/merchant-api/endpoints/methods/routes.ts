import type { Hono } from 'hono';
import type { z } from 'zod';
import type { methodsAnswerSchema } from '#shared/api/bodies/methods.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { methods } from '#shared/domain/methods/index.ts';
import type { MerchantEnv } from '../../authentication.ts';
import { forScope } from '../../scopes.ts';

const answer: z.infer<typeof methodsAnswerSchema> = {
  methods: Object.entries(methods).map(([method, { currency, destination, banks }]) => ({
    method: method as keyof typeof methods,
    currency,
    destination,
    banks: Object.entries<string>(banks).map(([code, name]) => ({ code, name })),
  })),
  currencies: [...currencies],
};

/** GET /v1/methods. */
export function registerMethods(app: Hono<MerchantEnv>): void {
  app.get(
    '/v1/methods',
    forScope('read', (c) => c.json(answer)),
  );
}
