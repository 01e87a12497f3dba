import { z } from 'zod';
import {
  endpointDescription,
  endpointTypes,
  endpointUrl,
} from '#shared/application/webhooks/endpoint-settings.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';

/** A new endpoint (R14.17). */
export const newEndpointSchema = z.strictObject({
  url: endpointUrl,
  types: endpointTypes.optional(),
  description: endpointDescription.optional(),
});

/** What changes; null clears. */
export const endpointChangeSchema = z.strictObject({
  url: endpointUrl.optional(),
  types: endpointTypes
    .nullable()
    .optional()
    .meta({ description: 'The types of webhooks that are sent to it; null: all.' }),
  description: endpointDescription.nullable().optional(),
  enabled: z.boolean().optional().meta({
    description: 'While it is false, webhooks wait, and are sent in order once it is true.',
  }),
});

export const endpointSchema = z.object({
  endpoint_id: z.guid(),
  url: z.string(),
  types: z
    .array(z.enum(webhookTypes))
    .meta({ description: 'Every type, where the endpoint names none.' }),
  description: z.string().nullable(),
  enabled: z.boolean(),
  disabled_reason: z
    .string()
    .nullable()
    .meta({ description: '`merchant`, `operator`, or why the gateway disabled it.' }),
  created_at: z.iso.datetime(),
});

export const endpointWithSecretSchema = endpointSchema.extend({
  secret: z.string().meta({ description: 'Signs its webhooks. Shown only this once.' }),
});

export const endpointListSchema = z.object({
  webhook_endpoints: z.array(endpointSchema).meta({ description: 'The oldest first.' }),
});
