import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import type { Instance, Network } from '../network.ts';
import type { ProviderAttempt } from './attempt.ts';

export type SimulatedProvider = {
  name: string;
  /** The current state of all its attempts. */
  attempts(): readonly ProviderAttempt[];
  /** How an instance reaches it. */
  reach(network: Network, from: Instance): ProviderConnector;
  /** Whether everything that it planned is done and reported. */
  atRest(): boolean;
};

/**
 * How long sent messages may still arrive: late deliveries, frozen processes and clock changes, all
 * in a row.
 */
export const arrivalMs = 60_000;
