import {
  decodeErasureEvent,
  erasurePrefix,
  type ErasureRequest,
} from '#shared/domain/personal-data/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { continuedFrom, type Origin } from '#shared/application/commands/origin.ts';
import type { AdminDb } from '../database.ts';
import type { SweepTask } from '../sweeper.ts';
import { createErasureModels } from './models.ts';
import {
  destroy,
  retireKey,
  keyDrainMs,
  type ErasurePorts,
} from '#shared/application/personal-data/finish-erasure.ts';

type PendingErasure = {
  request: ErasureRequest;
  origin: Origin;
  /**
   * When this process saw that the key is retired, monotonic milliseconds; undefined until then.
   */
  retiredAtMs?: number;
  destroyed?: boolean;
  /** When it is due again if it has to wait, monotonic milliseconds. */
  againAtMs?: number;
  /** The last logged reason for waiting. */
  waits?: string;
};

export type EraserOptions = Omit<ErasurePorts, 'models'> & {
  db: AdminDb;
  logger: Logger;
  everyMs?: number;
  /** See `keyDrainMs`. */
  afterMs?: number;
};

const defaultEveryMs = 2_000;
/** An erasure that waits for something else is polled less often. */
const waitRounds = 15;

/** Carries out requested erasures; one whose process died is continued here. */
export function openErasures(options: EraserOptions): SweepTask {
  const { logger, everyMs = defaultEveryMs } = options;
  const pending = new Map<string, PendingErasure>();
  return {
    name: 'erasures',
    streamPrefix: erasurePrefix,
    everyMs,
    collect: (event) => addPending(pending, event),
    isOpen: (stream) => pending.has(stream),
    sweep: async (signal) => {
      for (const [stream, each] of pending) {
        if (signal.aborted) return;
        if (performance.now() < (each.againAtMs ?? 0)) continue;
        await continueErasure(options, each).catch((error: unknown) => {
          each.againAtMs = performance.now() + everyMs * waitRounds;
          logger.warn({ err: error, stream }, 'an erasure could not continue');
        });
      }
    },
  };
}

async function continueErasure(
  { afterMs = keyDrainMs, everyMs = defaultEveryMs, ...options }: EraserOptions,
  each: PendingErasure,
): Promise<void> {
  const { logger } = options;
  const { request, origin } = each;
  if (each.retiredAtMs === undefined) {
    const state = await retireKey(options, request.key_id, origin);
    each.retiredAtMs = performance.now();
    each.destroyed = state === 'destroyed';
  }
  if (!each.destroyed && performance.now() < each.retiredAtMs + afterMs) return;
  const waits = await destroy(
    { ...options, models: createErasureModels(options) },
    request,
    origin,
  );
  if (waits !== undefined && waits !== each.waits)
    logger.info({ keyId: request.key_id, waits }, 'an erasure is waiting');
  if (waits === undefined)
    return logger.info({ keyId: request.key_id }, 'a client’s personal data was erased');
  each.waits = waits;
  each.againAtMs = performance.now() + everyMs * waitRounds;
}

function addPending(pending: Map<string, PendingErasure>, event: StoredEvent): void {
  const { stream } = event;
  const { type, data } = decodeErasureEvent(event);
  if (type === 'PersonalDataErased') pending.delete(stream);
  else pending.set(stream, { request: data, origin: continuedFrom(event) });
}
