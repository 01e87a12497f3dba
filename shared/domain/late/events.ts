import { z } from 'zod';
import { legSchema } from '../operation/events.ts';

/**
 * What a provider reports of an operation after its end (contract §4), one stream an operation,
 * `late-<operation_id>`: the operation and the shop's balance stay as they were, and an operator decides.
 */

const about = {
  operation_id: z.string(),
  shop_id: z.string(),
  merchant_id: z.string(),
  attempt: z.int(),
  provider: z.string(),
};

export const lateEventSchemas = {
  /** Money that no operation accounts for: it waits on the suspense account. */
  LateMoneyReceived: z.object({ ...about, currency: z.string(), leg: legSchema }),
  /** An end that contradicts the operation's own. */
  LateStatusReported: z.object({
    ...about,
    reported_status: z.string(),
    operation_status: z.string(),
  }),
} as const;

type Schemas = typeof lateEventSchemas;
export type LateEventType = keyof Schemas;
export type LateEvent = {
  [Type in LateEventType]: { type: Type; data: z.infer<Schemas[Type]> };
}[LateEventType];

export const lateStream = (operationId: string): string => `late-${operationId}`;

/** A stored event as this version understands it. @throws when its type or content is unknown to it. */
export function decodeLateEvent(stored: { type: string; data: unknown }): LateEvent {
  if (!Object.hasOwn(lateEventSchemas, stored.type)) throw new Error(`unknown late event ${stored.type}`);
  const type = stored.type as LateEventType;
  return { type, data: lateEventSchemas[type].parse(stored.data) } as LateEvent;
}
