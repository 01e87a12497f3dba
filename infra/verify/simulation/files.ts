import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { Instance, Network } from './network.ts';

/** The store of payers' receipts, in memory. */
export type Files = {
  has(key: string): boolean;
  /** How an instance reaches it. */
  reach(network: Network, from: Instance): ReceiptStore;
};

const destination = { name: 'the receipt store', hangs: false };

export function createFiles(): Files {
  const files = new Map<string, Uint8Array>();
  return {
    has: (key) => files.has(key),
    reach: (network, from) => ({
      put: (key, content) => network.call(from, destination, () => void files.set(key, content)),
      get: (key) => network.call(from, destination, () => files.get(key)),
      remove: (key) => network.call(from, destination, () => void files.delete(key)),
    }),
  };
}
