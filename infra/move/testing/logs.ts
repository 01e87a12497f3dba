import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { startStoreProcess } from '#infra/verify/harness/stores/event-store-process.ts';
import { usesExternalServer } from '#infra/verify/harness/stores/external-store.ts';
import { startOwnLog } from '#infra/verify/harness/stores/own-log.ts';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { generateLog } from '#services/audit/testing/generated-log.ts';
import { writeLog } from '#services/audit/testing/write-log.ts';
import { noteKeyUse } from '#shared/application/directory/key-use.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { NO_STREAM } from '#shared/platform/event-store/index.ts';
import { isCopied, isTombstone } from '../logs.ts';

/** A log as gateways write it, with destroyed keys and truncated streams. */
export async function useSource({ operations = 60 } = {}) {
  const { url, stop } = await startOwnLog();
  const store = connectEventStore(url);
  onTestFinished(async () => {
    await store.close();
    await stop();
  });
  await writeLog(store, generateLog({ seed: 5, operations }).events);
  const keyId = randomUUID();
  for (const usedAtMs of [1_700_000_000_000, 1_700_000_100_000])
    await noteKeyUse(store, { keyId, usedAtMs, everyMs: 1 });
  const keys = [randomUUID(), randomUUID()] as const;
  for (const key of keys)
    await store.append({
      stream: personalKeyStream(key),
      expectedRevision: NO_STREAM,
      events: [
        newEvent({
          type: 'PersonalKeyCreated',
          data: { shop_id: randomUUID(), key_id: key, master_key_id: 'm', wrapped: 'w' },
        }),
      ],
    });
  await store.tombstone(personalKeyStream(keys[0]));
  await appendMore(store, 3);
  return { url, store, destroyed: personalKeyStream(keys[0]) };
}

/**
 * An empty store that the test can kill and restart: that of EVENT_STORE_COMMAND, or else a
 * node.
 */
export async function useTarget() {
  const directory = useTempFolder();
  let store = await startStoreProcess({ directory });
  const { url, port } = store;
  onTestFinished(async () => void (await store.stop('SIGKILL')));
  return {
    url,
    restart: async () => {
      await store.stop('SIGKILL');
      store = await startStoreProcess({ directory, port });
    },
  };
}

/** Appends one event to each of N streams. */
export async function appendMore(
  store: ReturnType<typeof connectEventStore>,
  count: number,
): Promise<void> {
  for (let each = 0; each < count; each += 1)
    await store.append({
      stream: `operation-${randomUUID()}`,
      expectedRevision: NO_STREAM,
      events: [newEvent({ type: 'Tested', data: { each, text: 'ёжик' } })],
    });
}

export async function readAll(url: string): Promise<RawEvent[]> {
  const log = connectRawLog(url);
  const events: RawEvent[] = [];
  for await (const batch of log.read(0)) events.push(...batch);
  await log.close();
  return events.filter(isCopied);
}

/** The copied fields of each event, in log order; an EventStoreDB has its own positions. */
export const copiedFields = (
  events: readonly RawEvent[],
  { without = '', positions = !usesExternalServer() } = {},
) =>
  events
    .filter((event) => event.stream !== without || isTombstone(event))
    .map((event) => {
      const { stream, revision, type } = event;
      if (isTombstone(event)) return { stream, type };
      const { id, contentType, data, metadata } = event;
      const position = positions ? event.position : undefined;
      const bytes = { data: data.toString(), metadata: metadata.toString() };
      return {
        stream,
        revision,
        id,
        type,
        contentType,
        at: createdMs(event),
        position,
        ...bytes,
      };
    });
