import type { Config } from '#shared/platform/config/load.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { ServiceContext } from './define-service.ts';
import type { Directory } from './directory/directory.ts';
import { connectPersonalData } from './personal-data/connect.ts';
import { createMasterKeys } from './personal-data/master-keys.ts';
import type { PersonalData } from './personal-data/personal-data.ts';
import type { AccountConnectors } from './providers/accounts/connectors.ts';
import {
  createCredentialKeys,
  credentialVariables,
  type CredentialKeys,
} from './providers/accounts/credential-keys.ts';
import type { Providers } from './providers/connector.ts';
import { createProviders, providerVariables } from './providers/index.ts';
import type { ErasableReceiptStore } from './receipts/receipt-store.ts';
import { createReceiptStore, receiptStoreVariables } from './receipts/store.ts';

/** The variables that `connectBackingServices` needs. */
export const backingServiceVariables = [
  ...providerVariables,
  ...receiptStoreVariables,
  ...credentialVariables,
] as const;

type BackingServices = {
  providers: Providers;
  accounts: AccountConnectors;
  credentialKeys: CredentialKeys;
  receipts: ErasableReceiptStore;
  personal: PersonalData;
};

/**
 * The dependencies of services that act on operations, in addition to the log: providers, payers'
 * receipts and clients' personal data.
 */
export function connectBackingServices(
  context: Pick<ServiceContext, 'name' | 'logger' | 'metrics' | 'onStop'> & {
    config: Config<(typeof backingServiceVariables)[number]>;
  },
  {
    store,
    directory,
  }: { store: Pick<EventStore, 'read' | 'append' | 'recent'>; directory: Directory },
): BackingServices {
  const { name, config, logger, metrics } = context;
  const credentialKeys = createCredentialKeys(config);
  const { close, ...providers } = createProviders(config, logger, {
    metrics,
    accounts: { directory, credentialKeys },
  });
  context.onStop(close);
  return {
    ...providers,
    credentialKeys,
    receipts: createReceiptStore(config),
    personal: connectPersonalData(createMasterKeys(config), { store, service: name }),
  };
}
