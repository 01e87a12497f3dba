import type { Config } from '#shared/platform/config/load.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createSharedLimiter, type SharedLimiter } from '#shared/platform/nats/shared-limiter.ts';
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

/** The variables that `connectOutside` needs. */
export const outsideVariables = [
  ...providerVariables,
  ...receiptStoreVariables,
  ...credentialVariables,
] as const;

type Outside = {
  providers: Providers;
  accounts: AccountConnectors;
  credentialKeys: CredentialKeys;
  receipts: ErasableReceiptStore;
  personal: PersonalData;
};

/** What services that act on operations need beside the log: providers, payers' receipts, and clients' personal data. */
export function connectOutside(
  context: Pick<ServiceContext, 'name' | 'logger' | 'metrics' | 'onStop'> & {
    config: Config<(typeof outsideVariables)[number]>;
  },
  { store, directory }: { store: Pick<EventStore, 'read' | 'append' | 'recent'>; directory: Directory },
): Outside {
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

/** Limits that the instances of one service share over NATS; undefined where there is none. */
export function joinLimits(
  { config, logger, onStop }: Pick<ServiceContext<never, 'NATS_URL'>, 'config' | 'logger' | 'onStop'>,
  subject: string,
): SharedLimiter | undefined {
  if (config.NATS_URL === undefined) return undefined;
  const limiter = createSharedLimiter({ natsUrl: config.NATS_URL, logger, subject });
  onStop(() => limiter.stop());
  return limiter;
}
