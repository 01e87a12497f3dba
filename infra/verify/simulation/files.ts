import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import type { Instance, Network } from './network.ts';

export type Files = ReturnType<typeof createFiles>;

const destination = { name: 'the receipt store', hangs: false };

/** The store of payers' receipts, in memory. */
export function createFiles() {
  const files = new Map<string, Uint8Array>();
  return {
    has: (key: string) => files.has(key),
    /** How an instance reaches it. */
    reach: (network: Network, from: Instance): ReceiptStore => ({
      put: (key, content) => network.call(from, destination, () => void files.set(key, content)),
      get: (key) => network.call(from, destination, () => files.get(key)),
      remove: (key) => network.call(from, destination, () => void files.delete(key)),
    }),
  };
}
