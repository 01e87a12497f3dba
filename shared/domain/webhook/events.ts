import { z } from 'zod';

/**
 * What operators ask of the delivery of webhooks (contract §6), kept for the audit: all of it in one stream. The
 * messages themselves and their attempts are in PostgreSQL.
 */
export const webhookCommandsStream = 'webhook-commands';

export const webhookCommandSchemas = {
  WebhookPingRequested: z.object({ shop_id: z.string() }),
  WebhookRedeliveryRequested: z.object({ shop_id: z.string(), message_id: z.string() }),
} as const;

type Schemas = typeof webhookCommandSchemas;
export type WebhookCommand = {
  [Type in keyof Schemas]: { type: Type; data: z.infer<Schemas[Type]> };
}[keyof Schemas];
