import { z } from 'zod';
import { currencies } from '#shared/domain/currencies.ts';
import { destinations, methods, type DestinationKind } from '#shared/domain/methods/index.ts';

/**
 * What a merchant can offer: the methods, what a payout by each needs, and the currencies (R3.10).
 */
export const methodsAnswerSchema = z.object({
  methods: z.array(
    z.object({
      method: z.enum(Object.keys(methods) as [keyof typeof methods]),
      currency: z.enum(currencies).meta({ description: 'The currency of the method.' }),
      destination: z.enum(Object.keys(destinations) as [DestinationKind]).meta({
        description: 'The kind of `number` in a payout: a card number or a phone number.',
      }),
      banks: z.array(z.object({ code: z.string(), name: z.string() })).meta({
        description:
          'The valid values of `bankname` in a payout; empty if the method has no banks.',
      }),
    }),
  ),
  currencies: z.array(z.enum(currencies)).meta({ description: 'All currencies of balances.' }),
});
