import {
  accountKey,
  defaultAccount,
  type PreviousCredentials,
  type ProviderAccount,
} from '#shared/domain/provider/accounts.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { KeyUnreadable } from '#shared/application/personal-data/key-ring.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { ProviderConnector } from '../connector.ts';
import type { CredentialKeys } from './credential-keys.ts';
import type { Credentials } from './credentials.ts';

export type ProviderConnection = { connector: ProviderConnector; close(): Promise<void> };

/** How a provider's accounts are reached. */
export type ProviderKind = {
  /**
   * A connector for one account, which sends nothing yet. `previous`: callbacks signed with these
   * credentials are accepted too.
   */
  connect(credentials: {
    current: Credentials;
    previous?: Credentials | undefined;
  }): ProviderConnection;
  /** The environment's connector, if it configures one. */
  byEnvironment?: ProviderConnection | undefined;
};

/**
 * `absent`: there is no such account. `unreadable`: no key of this process opens its
 * credentials. `unavailable`: the log can't be read.
 */
export type WhyNot = 'absent' | 'unreadable' | 'unavailable';

/** `since`: when it was added; absent: from the environment, of unknown age. */
export type ListedAccount = { provider: string; account: string; since?: string };

export type AccountConnectors = {
  /**
   * All accounts except removed ones, including those that are switched off.
   * @throws when the log can't be read
   */
  list(): Promise<ListedAccount[]>;
  /**
   * Uses the connector of an account with its current credentials; also of a switched-off or
   * removed account, for its open attempts.
   */
  use<Result>(
    of: { provider: string; account: string },
    work: (connector: ProviderConnector) => Promise<Result>,
  ): Promise<{ outcome: 'used'; result: Result } | { outcome: WhyNot }>;
  close(): Promise<void>;
};

/** `version`: of the account, and whether it accepts the previous credentials. */
type Connection = ProviderConnection & { version: string; calls: number; replaced: boolean };

type PoolOptions = {
  credentialKeys: Pick<CredentialKeys, 'open'>;
  logger: Logger;
  now: () => number;
};

/**
 * Connectors are created on demand, and closed once they are replaced and their calls are done.
 */
function createConnectorPool({ credentialKeys, logger, now }: PoolOptions) {
  const all = new Map<string, Connection>();
  const closing = new Set<Promise<void>>();
  /**
   * The current credentials work without the previous ones: only callbacks signed with those fail.
   */
  const openPrevious = (account: ProviderAccount, { credentials }: PreviousCredentials) => {
    try {
      return credentialKeys.open(account, credentials);
    } catch (error) {
      if (!(error instanceof KeyUnreadable)) throw error;
      const { provider, account: name } = account;
      logger.warn(
        { err: error, provider, account: name },
        'the previous credentials can not be read',
      );
      return undefined;
    }
  };
  const close = (connection: Connection) => {
    const closed = connection
      .close()
      .catch((error: unknown) => logger.warn({ err: error }, 'a connector could not be closed'));
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  };
  const closeIfDone = (connection: Connection) => {
    if (connection.replaced && connection.calls === 0) close(connection);
  };
  return {
    /** @throws KeyUnreadable */
    connectorOf: (kind: ProviderKind, account: ProviderAccount): Connection => {
      const key = accountKey(account.provider, account.account);
      const previousCredentials =
        account.previous && now() < Date.parse(account.previous.until)
          ? account.previous
          : undefined;
      const version = `${account.version} ${previousCredentials !== undefined}`;
      const existing = all.get(key);
      if (existing?.version === version) return existing;
      const current = credentialKeys.open(account, account.credentials);
      const previous = previousCredentials && openPrevious(account, previousCredentials);
      const connected = kind.connect({ current, previous });
      const connection = { ...connected, version, calls: 0, replaced: false };
      all.set(key, connection);
      if (existing) {
        existing.replaced = true;
        closeIfDone(existing);
      }
      return connection;
    },
    call: async <Result>(
      connection: Connection,
      work: (connector: ProviderConnector) => Promise<Result>,
    ) => {
      connection.calls += 1;
      try {
        return await work(connection.connector);
      } finally {
        connection.calls -= 1;
        closeIfDone(connection);
      }
    },
    close: async () => {
      for (const connection of all.values()) close(connection);
      await Promise.all(closing);
    },
  };
}

/** The connectors of accounts, as operators have set these up within the lease. */
export function createAccountConnectors({
  kinds,
  directory,
  credentialKeys,
  logger,
  now = Date.now,
}: {
  kinds: ReadonlyMap<string, ProviderKind>;
  directory: Pick<Directory, 'providers'>;
  credentialKeys: Pick<CredentialKeys, 'open'>;
  logger: Logger;
  now?: () => number;
}): AccountConnectors {
  const pool = createConnectorPool({ credentialKeys, logger, now });

  async function find(of: {
    provider: string;
    account: string;
  }): Promise<Connection | ProviderConnection | WhyNot> {
    const kind = kinds.get(of.provider);
    if (!kind) return 'absent';
    if (of.account === defaultAccount) return kind.byEnvironment ?? 'absent';
    const setup = await directory.providers().catch(() => undefined);
    if (!setup) return 'unavailable';
    const account = setup.accounts.get(accountKey(of.provider, of.account));
    if (!account) return 'absent';
    try {
      return pool.connectorOf(kind, account);
    } catch (error) {
      logger.error({ err: error, ...of }, 'the credentials of an account can not be read');
      return 'unreadable';
    }
  }

  return {
    list: async () => {
      const { accounts } = await directory.providers();
      const environments = [...kinds].filter(([, kind]) => kind.byEnvironment);
      const added = [...accounts.values()].filter(
        ({ provider, removed }) => kinds.has(provider) && !removed,
      );
      return [
        ...environments.map(([provider]) => ({ provider, account: defaultAccount })),
        ...added.map(({ provider, account, added: { at } }) => ({ provider, account, since: at })),
      ];
    },

    use: async (of, work) => {
      const resolved = await find(of);
      if (typeof resolved === 'string') return { outcome: resolved };
      const result =
        'calls' in resolved ? await pool.call(resolved, work) : await work(resolved.connector);
      return { outcome: 'used', result };
    },
    close: pool.close,
  };
}
