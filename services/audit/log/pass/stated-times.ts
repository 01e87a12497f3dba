import { rotationOverlapMs } from '#shared/application/shops/shop-secrets.ts';
import { signInLinkLifetimeMs } from '#shared/application/members/links.ts';
import { failingAfterMs } from '#shared/domain/shop/decide.ts';
import { maxExpiresInS } from '#shared/domain/operator/operators.ts';
import { previousValidMs } from '#shared/domain/provider/accounts.ts';
import { dayMs } from '#shared/domain/day.ts';
import { graceMs } from '../../authority/commands.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** How long after the event a time that it states may lie; before it, it may lie if `isPast`. */
type Bound = { field: string; mostMs: number; isPast?: true };

/** The longest PROVIDER_ACCEPTANCE_MS. */
const longestAcceptanceMs = dayMs;

/** The times that the gateway computes from its clock just before it writes the event. */
const bounds: Readonly<Record<string, Bound>> = {
  OperationAdmitted: { field: 'accept_until', mostMs: longestAcceptanceMs },
  WebhookSecretIssued: { field: 'previous_valid_until', mostMs: rotationOverlapMs },
  ProviderAccountCredentialsReplaced: { field: 'previous_valid_until', mostMs: previousValidMs },
  MemberLinkIssued: { field: 'expires_at', mostMs: signInLinkLifetimeMs },
  AdminTokenIssued: { field: 'expires_at', mostMs: maxExpiresInS * 1_000 },
  WebhookFailing: { field: 'since', mostMs: -failingAfterMs, isPast: true },
  ApiKeyUsed: { field: 'used_at', mostMs: 0, isPast: true },
  CheckpointKeyAdded: { field: 'valid_from', mostMs: 0 },
  CheckpointKeyRetired: { field: 'valid_until', mostMs: 0 },
};

/**
 * Why a time that an event states can't have been computed when it was written: its writer chose
 * it, and the log knows the time only to within a minute.
 */
export function whyNotItsTime({
  type,
  data,
  atMs,
}: Pick<EventEnvelope, 'type' | 'data' | 'atMs'>): string | undefined {
  const bound = Object.hasOwn(bounds, type) ? bounds[type] : undefined;
  if (!bound) return undefined;
  const { field, mostMs, isPast } = bound;
  const stated = (data as Record<string, unknown>)[field];
  if (typeof stated !== 'string') return undefined;
  const statedMs = Date.parse(stated);
  if (statedMs > atMs + mostMs + graceMs)
    return `${field} is ${stated}, later than ${new Date(atMs + mostMs).toISOString()}`;
  return isPast || statedMs >= atMs - graceMs
    ? undefined
    : `${field} is ${stated}, before the event itself`;
}
