import type { ProviderSwitchEvent } from './events.ts';

/** Why a provider takes nothing new, who decided so, and when. */
export type SwitchedOff = { reason: string; by: string; since: string };

/** The providers that operators took out of routing, by name. */
export type SwitchedOffProviders = ReadonlyMap<string, SwitchedOff>;

export const allSwitchedOn: SwitchedOffProviders = new Map();

/** The switches after one more event, with its time and actor. */
export function evolveSwitches(
  off: SwitchedOffProviders,
  { type, data: { provider, reason } }: ProviderSwitchEvent,
  { createdIso, actor }: { createdIso: string; actor: string },
): SwitchedOffProviders {
  const next = new Map(off);
  if (type === 'ProviderSwitchedOn') next.delete(provider);
  else next.set(provider, { reason, by: actor, since: createdIso });
  return next;
}

/** Switching to the same state adds no event: the first reason stays. */
export function switchProvider(
  off: SwitchedOffProviders,
  { provider, to, reason }: { provider: string; to: 'on' | 'off'; reason: string },
): { events: ProviderSwitchEvent[] } {
  if (off.has(provider) === (to === 'off')) return { events: [] };
  const type = to === 'off' ? 'ProviderSwitchedOff' : 'ProviderSwitchedOn';
  return { events: [{ type, data: { provider, reason } }] };
}
