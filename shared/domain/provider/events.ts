import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

const change = z.object({ provider: z.string(), reason: z.string() });

/**
 * An operator takes a provider out of routing, or back in. These events are in the directory's
 * stream: every process that follows it has them within the lease, without a second event.
 */
export const providerSwitchSchemas = {
  ProviderSwitchedOff: change,
  ProviderSwitchedOn: change,
} as const;

export type ProviderSwitchEvent = {
  [Type in keyof typeof providerSwitchSchemas]: { type: Type; data: z.infer<typeof change> };
}[keyof typeof providerSwitchSchemas];

/** Credentials of an account, sealed by a key of configuration. */
const sealedCredentials = z.object({
  master_key_id: z.string(),
  sealed: z.string(),
  /** Identifies equal credentials; a keyed hash, which reveals nothing of them. */
  fingerprint: z.string(),
});
export type SealedCredentials = z.infer<typeof sealedCredentials>;

/** A short name that routes use, for good. */
export const accountNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
export const accountName = z
  .string()
  .regex(accountNamePattern, 'must have 1 to 40 small letters, digits and hyphens');

const account = { provider: z.string(), account: z.string() };
const accountChange = z.object({ ...account, reason: z.string() });

/**
 * What operators do with accounts of providers. These events are in the directory's stream, for the
 * same reason.
 */
export const providerAccountSchemas = {
  ProviderAccountAdded: z.object({ ...account, label: z.string(), credentials: sealedCredentials }),
  ProviderAccountCredentialsReplaced: z.object({
    ...account,
    credentials: sealedCredentials,
    /**
     * Callbacks signed with the previous credentials are accepted until then; absent: they are not
     * accepted.
     */
    previous_valid_until: z.iso.datetime().optional(),
  }),
  ProviderAccountRenamed: z.object({ ...account, label: z.string() }),
  ProviderAccountSwitchedOff: accountChange,
  ProviderAccountSwitchedOn: accountChange,
  ProviderAccountRemoved: accountChange,
} as const;

export type ProviderAccountEvent = EventOf<typeof providerAccountSchemas>;

const counts = { calls: z.int(), unknown: z.int() };
/** Payments or payouts; absent in version 1, which counted both together. */
const ofType = {
  provider: z.string(),
  type: z.enum(['payment', 'payout']).optional(),
  /** The account whose credentials failed; absent: that of the environment. */
  account: z.string().optional(),
};

/**
 * What a process observed of a provider in its own calls, of payments or payouts. One stream a
 * provider.
 */
export const providerEventSchemas = {
  /** N of its newest calls had an unknown outcome, so routing skips it for a while. */
  ProviderBreakerOpened: z.object({ ...ofType, ...counts }),
  /** It answered again. */
  ProviderBreakerClosed: z.object(ofType),
} as const;

export type ProviderEvent = EventOf<typeof providerEventSchemas>;

export const providerStream = (provider: string): string => `provider-${provider}`;

export const decodeProviderEvent = createDecoder(providerEventSchemas, 'provider');
