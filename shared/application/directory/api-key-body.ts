import { z } from 'zod';
import { keyScopes, type KeyLimits } from '#shared/domain/shop/events.ts';
import { isCidr } from '#shared/platform/http/cidr.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { timeField } from '#shared/platform/http/time-parameter.ts';
import { validate } from '#shared/platform/http/validate.ts';

const maxRanges = 50;

/** The request for a new API key, of operators and members; limits are optional. */
const apiKeyBody = z.strictObject({
  label: nameText,
  expires_at: timeField.optional(),
  allowed_ips: z
    .array(z.string().refine(isCidr, 'must be in CIDR notation, such as 203.0.113.0/24'))
    .min(1)
    .max(maxRanges)
    .optional(),
  scopes: z.array(z.enum(keyScopes)).min(1).max(keyScopes.length).optional(),
});

type ApiKeyBody = z.infer<typeof apiKeyBody>;

/** @throws Problem invalid_request, also for a key that would have expired already */
export const readApiKeyBody = (body: unknown, nowMs: number): ApiKeyBody =>
  validate(apiKeyBody, body, {
    across: ({ expires_at: until }) =>
      typeof until === 'string' && Date.parse(until) <= nowMs
        ? [{ pointer: '/expires_at', code: 'field_invalid', detail: 'must be in the future' }]
        : [],
  });

/** The limits in a body, as they are stored. */
export const limitsIn = ({
  expires_at: expiresAt,
  allowed_ips: allowedIps,
  scopes,
}: ApiKeyBody): KeyLimits => ({
  ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  ...(allowedIps && { allowed_ips: [...new Set(allowedIps)] }),
  ...(scopes && { scopes: [...new Set(scopes)] }),
});
