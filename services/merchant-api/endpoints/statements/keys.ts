import {
  checkpointKeyStream,
  decodeCheckpointKeyEvent,
  foldCheckpointKeys,
} from '#shared/domain/ledger/checkpoints.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { Problem } from '#shared/platform/http/problems.ts';

/** Callers share one read of the log for this long, so a new key may be missing until then. */
const reuseMs = 2_000;

/** All public keys that checkpoints were ever signed with, as JSON Web Keys (R25.6). */
export function createKeysReader(
  store: Pick<EventStore, 'read'>,
  now: () => number = performance.now.bind(performance),
) {
  let readAt = -Infinity;
  let reading: ReturnType<typeof read> | undefined;
  const read = async () => {
    const events = (await store.read(checkpointKeyStream)).map(decodeCheckpointKeyEvent);
    return foldCheckpointKeys(events).map(({ keyId, x, validFrom, validUntil }) => ({
      key_id: keyId,
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      valid_from: validFrom,
      valid_until: validUntil ?? null,
    }));
  };
  return async () => {
    if (!reading || now() - readAt > reuseMs) {
      readAt = now();
      reading = read();
    }
    const current = reading;
    return current.catch((cause: unknown) => {
      if (reading === current) reading = undefined;
      throw new Problem('not_ready', { detail: 'the keys can’t be read at the moment', cause });
    });
  };
}
