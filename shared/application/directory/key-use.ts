import type { ApiKey } from '#shared/domain/shop/state.ts';
import { decodeKeyUseEvent, keyUseStream } from '#shared/domain/key-use/events.ts';
import { NO_STREAM, type EventStore, type NewEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { toMetadata } from '#shared/application/commands/new-events.ts';

type Log = Pick<EventStore, 'append' | 'read'>;

const deadlineMs = 2_000;

/**
 * Records when a key was used, unless another process did so less than `everyMs` before.
 * @throws when the log does not answer
 */
export async function noteKeyUse(
  store: Log,
  { keyId, usedAtMs, everyMs }: { keyId: string; usedAtMs: number; everyMs: number },
): Promise<void> {
  const stream = keyUseStream(keyId);
  const [newest] = await store.read(stream, { direction: 'backwards', maxCount: 1, deadlineMs });
  if (newest) {
    const { used_at: before } = decodeKeyUseEvent(newest).data;
    if (usedAtMs - Date.parse(before) < everyMs) return;
  } else {
    // Before the first event, so that the stream never has more than one. A conflict: another
    // process has done it.
    const limit = event('$metadata', { $maxCount: 1 });
    await append(store, { stream: `$$${stream}`, expectedRevision: NO_STREAM, events: [limit] });
  }
  const used = event('ApiKeyUsed', { key_id: keyId, used_at: new Date(usedAtMs).toISOString() });
  // A conflict: another process has just recorded it.
  await append(store, { stream, expectedRevision: newest?.revision ?? NO_STREAM, events: [used] });
}

/**
 * How many of the keys that were revoked last are included, each of which costs a read of the log.
 */
export const revokedRead = 100;

/**
 * The recorded last use of a shop's keys: of the valid ones, whose number is limited, and of those
 * that were revoked last.
 * @throws when the log does not answer
 */
export async function readKeyUses(
  store: Pick<EventStore, 'read'>,
  keys: readonly Pick<ApiKey, 'keyId' | 'revokedAt'>[],
): Promise<Map<string, string>> {
  const uses = new Map<string, string>();
  const revoked = keys
    .filter(({ revokedAt }) => revokedAt !== undefined)
    .toSorted((left, right) => ((left.revokedAt ?? '') < (right.revokedAt ?? '') ? 1 : -1));
  const read = [
    ...keys.filter(({ revokedAt }) => revokedAt === undefined),
    ...revoked.slice(0, revokedRead),
  ];
  const waiting = read.values();
  const lane = async () => {
    for (const { keyId } of waiting) {
      const [newest] = await store.read(keyUseStream(keyId), {
        direction: 'backwards',
        maxCount: 1,
      });
      if (newest) uses.set(keyId, decodeKeyUseEvent(newest).data.used_at);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return uses;
}

async function append(store: Log, request: Parameters<Log['append']>[0]): Promise<void> {
  const appended = await store.append({ ...request, deadlineMs });
  if (appended.outcome === 'unknown')
    throw new Error(`${request.stream} could not be written`, { cause: appended.cause });
}

function event(type: string, data: object): NewEvent {
  const origin = { actor: 'service:merchant-api', correlationId: newId() };
  return { id: newId(), type, data, metadata: toMetadata(origin, type) };
}
