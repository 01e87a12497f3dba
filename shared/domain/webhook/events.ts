import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/**
 * Operators' commands to the delivery of webhooks, recorded for the audit: all of them in one
 * stream. The messages themselves and their attempts are in PostgreSQL.
 */
export const webhookCommandsStream = 'webhook-commands';

export const webhookCommandSchemas = {
  WebhookPingRequested: z.object({ shop_id: z.string() }),
  WebhookRedeliveryRequested: z.object({ shop_id: z.string(), message_id: z.string() }),
  /** All messages that match the filter, up to the limit of one request. */
  WebhookRedeliveriesRequested: z.object({
    shop_id: z.string(),
    status: z.string(),
    from: z.string().optional(),
    to: z.string().optional(),
    operation_id: z.string().optional(),
    endpoint_id: z.string().optional(),
    type: z.string().optional(),
    cursor: z.string().optional(),
  }),
} as const;

export type WebhookCommand = EventOf<typeof webhookCommandSchemas>;

export const decodeWebhookCommand = createDecoder(webhookCommandSchemas, 'webhook command');
