import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { createUntrustedEvents } from '#shared/application/log/untrusted-events.ts';
import { createVerifier } from '#shared/application/log/verifier.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { streamKinds } from '#shared/domain/log/streams.ts';
import type { ObservableEventStore } from '#shared/platform/event-store/client.ts';
import type { StoreConnection } from '#shared/platform/event-store/connection.ts';
import { observeAppends } from '#shared/platform/event-store/metrics.ts';
import type {
  ErasableEventStore,
  EventStore,
  LoggedEvent,
} from '#shared/platform/event-store/types.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import type { EventSigner } from '#shared/platform/event-store/signature.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { refusePooler } from '#shared/platform/database/pooler.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';

/**
 * What the services of one process share: one connection to the event store, so that the log is
 * read once for all of them, one owner of each ledger, so that they don't conflict with each other,
 * and one directory of shops. `close()` of what it returns does nothing: the host closes everything
 * when the process ends.
 */
export type Host = {
  /**
   * Appends are counted for the service that gets it, and signed with its key. What is decided upon
   * is verified.
   */
  eventStore(
    url: string,
    options: {
      metrics: Metrics;
      logger: Logger;
      signer: EventSigner;
      /** Only what is read is verified, not what is followed. */
      followsUnverified?: boolean;
    },
  ): ErasableEventStore;
  /** What the service posts is signed with its key, whichever service the ledgers are made for. */
  ledgers(options: { store: EventStore; metrics: Metrics; signer: EventSigner }): Ledgers;
  directory(store: EventStore): Directory;
  /** Ends the process if that URL leads to a pooler that it can't work through. */
  checkDatabase(url: string): void;
  /** Rejects when a check has failed. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
};

/** `connect` connects to an event store in this process. */
export function createHost(connect?: () => StoreConnection): Host {
  const stores = new Map<string, ObservableEventStore>();
  const untrusted = createUntrustedEvents();
  let ledgers: Ledgers | undefined;
  let directory: Directory | undefined;
  const checked = new Set<string>();
  const closed = new AbortController();
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  return {
    eventStore: (url, { metrics, logger, signer, followsUnverified = false }) => {
      const onSeen = (event: LoggedEvent) => ledgers?.applyPosted(event);
      const name = `${url} ${followsUnverified}`;
      const onUntrusted = untrusted.watch(logger);
      const onRefused = untrusted.noteRefusal(logger);
      const store =
        stores.get(name) ??
        connectEventStore(url, {
          logger,
          onSeen,
          connection: connect?.(),
          verify: {
            create: (ports) => createVerifier(ports, { signer, onUntrusted, onRefused }),
            followed: !followsUnverified,
          },
        });
      stores.set(name, store);
      untrusted.measure(metrics);
      const signed = signAppends(store, signer);
      return {
        ...signed,
        append: observeAppends(signed.append, metrics, streamKinds),
        close: async () => undefined,
      };
    },
    ledgers: ({ signer, ...options }) => {
      const shared = (ledgers ??= createLedgers(options));
      return {
        ...shared,
        post: (request) => shared.post({ ...request, signer }),
        stop: async () => undefined,
      };
    },
    directory: (store) => {
      directory ??= createDirectory(store);
      return { ...directory, stop: async () => undefined };
    },
    // Alongside the start: what does not need PostgreSQL starts without it.
    checkDatabase: (url) => {
      if (!checked.has(url)) refusePooler(url, closed.signal).catch(fail);
      checked.add(url);
    },
    failed,
    close: async () => {
      closed.abort();
      await Promise.all([directory?.stop(), ledgers?.stop()]);
      await Promise.all([...stores.values()].map((store) => store.close()));
    },
  };
}
