import type { ProviderSwitchEvent } from '#shared/domain/provider/events.ts';

/** Which providers were out of routing, as the log goes on. */
export type Switches = {
  take(event: ProviderSwitchEvent, atMs: number): void;
  /** Since when the provider had been off, where no attempt could be started with it any more. */
  offBefore(provider: string, atMs: number): string | undefined;
};

/**
 * A create that decided before the switch may append this much later (R7.14): the directory's lease,
 * two writes of a step of its cascade as long as they may take, and what is between them.
 */
const allowedMs = 250 + 2 * 5_000 + 2_000;

export function createSwitches(): Switches {
  const offSince = new Map<string, number>();
  return {
    take: ({ type, data: { provider } }, atMs) => {
      if (type === 'ProviderSwitchedOn') offSince.delete(provider);
      else if (!offSince.has(provider)) offSince.set(provider, atMs);
    },
    offBefore: (provider, atMs) => {
      const since = offSince.get(provider);
      return since !== undefined && atMs > since + allowedMs ? new Date(since).toISOString() : undefined;
    },
  };
}
