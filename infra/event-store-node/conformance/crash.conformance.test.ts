import { describe, expect, it, vi } from 'vitest';
import { auditLog, type Attempt } from './support/audit.ts';
import { ownStore } from './support/own-store.ts';
import { connect, event, events, freshStream, isExternal } from './support/store.ts';

const rounds = 4;
const appenders = 64;
/** An append that meets the cut at the wrong moment is never answered by the client: this long is long enough. */
const patienceMs = 3000;

const within = async <T>(promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), patienceMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

describe.skipIf(isExternal)('kill -9 (needs a node of its own: skipped when EVENT_STORE_URL is set)', () => {
  it(
    `during appends of ${appenders} appenders, ${rounds} rounds: nothing lost, nothing torn`,
    { timeout: 90_000 },
    async () => {
      const store = await ownStore();
      const client = connect(store.url);
      const attempts: Attempt[] = [];
      const shared = freshStream('crash-shared');

      const appendUntilCut = async (
        stream: string,
        isCut: () => boolean,
        onAck: () => void,
      ): Promise<void> => {
        for (let n = 0, revision = -1n; !isCut(); n += 1) {
          const own = n % 4 !== 3;
          const batch = events(1 + (n % 3));
          const attempt: Attempt = {
            stream: own ? stream : shared,
            expected: own ? (revision < 0n ? 'no_stream' : revision) : 'any',
            batch,
            outcome: 'unknown',
          };
          attempts.push(attempt);
          try {
            const result = await within(
              client.appendToStream(attempt.stream, batch, { expectedRevision: attempt.expected }),
            );
            attempt.outcome = { revision: result.nextExpectedRevision, position: result.position!.commit };
            if (own) revision = result.nextExpectedRevision;
            onAck();
          } catch {
            return;
          }
        }
      };

      for (let round = 0; round < rounds; round += 1) {
        let acknowledged = 0;
        let isCut = false;
        let killed: Promise<unknown> | undefined;
        const onAck = () => {
          acknowledged += 1;
          if (acknowledged < 300 + 111 * round || isCut) return;
          isCut = true;
          killed = store.stop('SIGKILL');
        };
        const working = Array.from({ length: appenders }, () =>
          appendUntilCut(freshStream('crash'), () => isCut, onAck),
        );
        await Promise.all(working);
        await killed;
        await store.start();
        // The same client object finds its way back.
        await vi.waitFor(() => client.appendToStream(freshStream(), event()), {
          timeout: 10_000,
          interval: 100,
        });
        expect(acknowledged).toBeGreaterThanOrEqual(300);
        await auditLog(client, attempts);
      }

      // An unknown outcome is settled by the same append once more, and stands exactly once.
      const unknown = attempts.filter(({ outcome, expected }) => outcome === 'unknown' && expected !== 'any');
      for (const attempt of unknown) {
        const result = await client.appendToStream(attempt.stream, attempt.batch, {
          expectedRevision: attempt.expected,
        });
        attempt.outcome = { revision: result.nextExpectedRevision, position: result.position!.commit };
      }
      await auditLog(client, attempts);
    },
  );
});
