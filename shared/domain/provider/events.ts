import { z } from 'zod';

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
