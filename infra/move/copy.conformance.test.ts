import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { usesExternalServer } from '#infra/verify/harness/stores/external-store.ts';
import { useStore } from '#infra/verify/harness/stores/store.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { logStream } from '#shared/domain/log/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { findCheckpoint, NO_STREAM, readCheckpointAt } from '#shared/platform/event-store/index.ts';
import { NotACopy } from './compare.ts';
import { finish } from './finish.ts';
import { connectLog, isTombstone } from './logs.ts';
import { startCopying } from './move.ts';
import { usePlainLog } from './testing/plain.ts';
import { appendMore, copiedFields, readAll, useSource, useTarget } from './testing/logs.ts';

async function useCopying(sourceUrl: string, targetUrl: string) {
  const logs = { source: await connectLog(sourceUrl), target: await connectLog(targetUrl) };
  const progress: number[] = [];
  const copying = startCopying(logs, {
    signal: new AbortController().signal,
    onProgress: ({ events }) => void progress.push(events),
  });
  onTestFinished(async () => {
    await copying.close();
    await Promise.all([logs.source.close(), logs.target.close()]);
  });
  return { ...copying, progress };
}

it('copies all events unchanged except destroyed keys, then later ones (R17.13)', async () => {
  const source = await useSource();
  const target = await useTarget();
  const copying = await useCopying(source.url, target.url);
  await copying.catchUp();
  const originals = copiedFields(await readAll(source.url), { without: source.destroyed });
  expect(copiedFields(await readAll(target.url))).toEqual(originals);
  expect(originals.map(({ stream }) => stream)).toContain(source.destroyed);
  expect(originals.some(({ stream }) => stream.startsWith('$$api-key-use-'))).toBe(true);

  await appendMore(source.store, 5);
  await copying.catchUp();
  expect(copiedFields(await readAll(target.url))).toHaveLength(originals.length + 5);
  const { events, source: ofSource, target: ofTarget } = copying.digest();
  expect(ofTarget).toBe(ofSource);
  expect(events).toBeGreaterThan(300);
  expect(copying.progress.at(-1)).toBe(copying.events());
  expect(copying.positionsDiffer()).toBe(usesExternalServer());
});

it('finds out that a bare position is of another log (R17.12)', async () => {
  const target = await useTarget();
  const store = useStore(target.url);
  await appendMore(store, 2);
  const head = await store.head();
  expect(await findCheckpoint(store, { position: head })).toBe('in_log');
  // Within the record before: positions have gaps, in an EventStoreDB and in a node.
  expect(await findCheckpoint(store, { position: head - 1n })).toBe('other_log');
  const lasting = ['operation-'];
  expect(await readCheckpointAt(store, head, lasting)).toMatchObject({
    position: head,
    event: { revision: 0, position: head },
  });
});

it('resumes at the end of the target, without other state (R17.13)', async () => {
  const source = await useSource();
  const target = await useTarget();
  const first = await useCopying(source.url, target.url);
  await first.catchUp();
  await appendMore(source.store, 2);
  const second = await useCopying(source.url, target.url);
  await second.catchUp();
  expect(copiedFields(await readAll(target.url))).toEqual(
    copiedFields(await readAll(source.url), { without: source.destroyed }),
  );
  expect(second.digest().events).toBe(first.digest().events + 2);
});

it('preserves timestamps in a store that sets its own (R17.13)', async () => {
  const source = await useSource();
  const target = await useTarget();
  const logs = { source: await connectLog(source.url), target: await usePlainLog(target.url) };
  onTestFinished(() => logs.source.close());
  const copying = startCopying(logs, { signal: new AbortController().signal });
  await copying.catchUp();
  await copying.close();
  const positions = false;
  expect(copiedFields(await readAll(target.url), { positions })).toEqual(
    copiedFields(await readAll(source.url), { without: source.destroyed, positions }),
  );
});

it('moves to another store and back to the first one (R17.14)', async () => {
  const first = await useSource({ operations: 1 });
  const second = await useTarget();
  const move = async (from: string, to: string) => {
    const logs = { source: await connectLog(from), target: await connectLog(to) };
    const { signal } = new AbortController();
    const copying = startCopying(logs, { signal });
    await copying.catchUp();
    await finish(logs, copying, { from, to, signal });
    await Promise.all([copying.close(), logs.source.close(), logs.target.close()]);
  };
  await move(first.url, second.url);
  const movedStore = useStore(second.url);
  await appendMore(movedStore, 2);
  await move(second.url, first.url);
  expect(
    copiedFields(await readAll(first.url), { without: first.destroyed, positions: false }).slice(
      0,
      -1,
    ),
  ).toEqual(copiedFields(await readAll(second.url), { positions: false }));
  const again = useStore(first.url);
  await appendMore(again, 1);
  expect((await readAll(first.url)).at(-1)).toMatchObject({ type: 'Tested' });
});

it('copies a key that was destroyed right after the log was closed (R17.13, R17.14)', async () => {
  const source = await useSource({ operations: 1 });
  const keys = [personalKeyStream(randomUUID()), personalKeyStream(randomUUID())] as const;
  const appendOne = (stream: string, type: string, data: object) =>
    source.store.append({
      stream,
      expectedRevision: NO_STREAM,
      events: [newEvent({ type, data })],
    });
  for (const key of keys) await appendOne(key, 'PersonalKeyCreated', {});
  const target = await useTarget();
  const copying = await useCopying(source.url, target.url);
  await copying.catchUp();
  await appendOne(logStream, 'LogClosed', { to: 'there' });
  // As an EventStoreDB still accepts it for a moment.
  const log = await connectLog(source.url);
  onTestFinished(() => log.close());
  const deletion = (await readAll(source.url)).find(isTombstone) as RawEvent;
  const position = await log.raw.head();
  for (const stream of keys) await log.tombstone({ ...deletion, stream, position });
  await copying.catchUp();
  expect(copiedFields(await readAll(target.url))).toEqual(
    copiedFields(await readAll(source.url), { without: source.destroyed }),
  );
  expect((await readAll(target.url)).slice(-2).map(({ stream }) => stream)).toEqual(keys);
});

it('rejects a target with other events (R17.13)', async () => {
  const source = await useSource({ operations: 1 });
  const target = await useTarget();
  const foreign = useStore(target.url);
  await foreign.append({
    stream: 'foreign',
    expectedRevision: NO_STREAM,
    events: [newEvent({ type: 'Foreign' })],
  });
  const copying = await useCopying(source.url, target.url);
  await expect(copying.catchUp()).rejects.toThrow(NotACopy);
  await expect(copying.catchUp()).rejects.toThrow(
    /^The target holds Foreign \(foreign, revision 0\)/,
  );
  expect(await readAll(target.url)).toHaveLength(1);
});
