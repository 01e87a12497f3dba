import { z } from 'zod';
import { keyScopes, type KeyLimits } from '#shared/domain/shop/events.ts';
import { isCidr } from '#shared/platform/http/cidr.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { timeField } from '#shared/platform/http/time-parameter.ts';

const maxRanges = 50;

/** The request for a new API key, of operators and members; limits are optional. */
export const apiKeyBody = z.strictObject({
  label: nameText,
  expires_at: timeField.optional(),
  allowed_ips: z
    .array(z.string().refine(isCidr, 'must be in CIDR notation, such as 203.0.113.0/24'))
    .min(1)
    .max(maxRanges)
    .optional(),
  scopes: z.array(z.enum(keyScopes)).min(1).max(keyScopes.length).optional(),
});

/** The limits in a body, as they are stored. */
export const limitsIn = ({
  expires_at: expiresAt,
  allowed_ips: allowedIps,
  scopes,
}: z.infer<typeof apiKeyBody>): KeyLimits => ({
  ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  ...(allowedIps && { allowed_ips: [...new Set(allowedIps)] }),
  ...(scopes && { scopes: [...new Set(scopes)] }),
});
