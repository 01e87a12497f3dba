import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import type { Instance, Network } from '../network.ts';
import type { ProviderAttempt } from './attempt.ts';

export type SimulatedProvider = {
  name: string;
  /** All that it was asked for, as it has it now. */
  attempts(): readonly ProviderAttempt[];
  /** How an instance reaches it. */
  reach(network: Network, from: Instance): ProviderConnector;
  /** Whether everything that it planned is done and reported. */
  atRest(): boolean;
};

/**
 * For so long what was sent may arrive: late deliveries, processes that stop and clocks that are
 * set, all in a row.
 */
export const arrivalMs = 60_000;
