import { describe, expect, it, vi } from 'vitest';
import { freeze } from '#infra/process/testing/freeze.ts';
import { keepAppending } from './support/appender.ts';
import { auditAppends, type AppendAttempt } from './support/audit.ts';
import { startOwnStore, type OwnStore } from './support/own-store.ts';
import { connect, event, freshStream, isExternal } from './support/store.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

type Client = ReturnType<typeof connect>;

const appenders = 64;

/** Runs 64 appenders until the store ends during their appends; returns attempts and errors. */
const appendUntilEnd = async (
  work: { client: Client; store: OwnStore; shared: string },
  end: { signal: 'SIGKILL' | 'SIGTERM'; afterAppends: number },
) => {
  const attempts: AppendAttempt[] = [];
  let acknowledged = 0;
  let ended: Promise<number | null> | undefined;
  const failures = await Promise.all(
    Array.from({ length: appenders }, () =>
      keepAppending({
        client: work.client,
        stream: freshStream('crash'),
        shared: work.shared,
        isOver: () => ended !== undefined,
        onAttempt: (attempt) => attempts.push(attempt),
        onAcknowledged: () => {
          acknowledged += 1;
          if (acknowledged >= end.afterAppends) ended ??= work.store.stop(end.signal);
        },
      }),
    ),
  );
  return {
    attempts,
    failures: failures.filter((error) => error !== undefined),
    exitCode: await ended,
  };
};

/** Repeats each append with an unknown outcome, which returns the outcome. */
const settle = async (client: Client, attempts: AppendAttempt[]) => {
  for (const attempt of attempts) {
    if (attempt.outcome !== 'unknown' || attempt.expected === 'any') continue;
    const result = await client.appendToStream(attempt.stream, attempt.batch, {
      expectedRevision: attempt.expected,
    });
    attempt.outcome = {
      revision: result.nextExpectedRevision,
      position: result.position?.commit ?? 0n,
    };
  }
};

describe.skipIf(isExternal)(
  'termination of the store (needs its own node: skipped when EVENT_STORE_URL is set)',
  () => {
    it('loses no append and tears none, in four rounds; retries find stored events', async () => {
      const store = await startOwnStore();
      const client = connect(store.url);
      const shared = freshStream('crash-shared');
      const attempts: AppendAttempt[] = [];
      for (const [round, signal] of (
        ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const
      ).entries()) {
        const run = await appendUntilEnd(
          { client, store, shared },
          { signal, afterAppends: 300 + 111 * round },
        );
        attempts.push(...run.attempts);
        expect(run.exitCode).toBe(signal === 'SIGTERM' ? 0 : null);
        await store.start();
        // The same client object reconnects.
        await vi.waitFor(() => client.appendToStream(freshStream(), event()), {
          timeout: waitLimitMs,
          interval: 100,
        });
        await auditAppends(client, attempts);
      }
      await settle(client, attempts);
      await auditAppends(client, attempts);
    });

    it('makes appends in flight unavailable, code 14, after kill -9', async () => {
      const store = await startOwnStore();
      const client = connect(store.url);
      await client.appendToStream(freshStream(), event());
      // Frozen, so that it answers none of them.
      await freeze(store.pid());
      const failures = Array.from({ length: appenders }, () =>
        client.appendToStream(freshStream(), event()).then(
          () => undefined,
          ({ code }: { code?: number }) => code,
        ),
      );
      await store.stop('SIGKILL');
      expect(new Set(await Promise.all(failures))).toEqual(new Set([14]));
    });
  },
);
