import { z } from 'zod';
import { decoderOf, type EventOf } from '../decode.ts';

const change = z.object({ provider: z.string(), reason: z.string() });

/**
 * An operator takes a provider out of routing, or back in. They stand in the directory's stream: a
 * process that reads on there knows of them within the lease, and no second event has to tell it.
 */
export const providerSwitchSchemas = {
  ProviderSwitchedOff: change,
  ProviderSwitchedOn: change,
} as const;

export type ProviderSwitchEvent = {
  [Type in keyof typeof providerSwitchSchemas]: { type: Type; data: z.infer<typeof change> };
}[keyof typeof providerSwitchSchemas];

const counts = { calls: z.int(), unknown: z.int() };

/** What a process found out about a provider by its own calls. One stream a provider. */
export const providerEventSchemas = {
  /** So many of its newest calls came to an unknown outcome: it is passed over for a while. */
  ProviderBreakerOpened: z.object({ provider: z.string(), ...counts }),
  /** It answered again. */
  ProviderBreakerClosed: z.object({ provider: z.string() }),
} as const;

export type ProviderEvent = EventOf<typeof providerEventSchemas>;

export const providerStream = (provider: string): string => `provider-${provider}`;

export const decodeProviderEvent = decoderOf(providerEventSchemas, 'provider');
