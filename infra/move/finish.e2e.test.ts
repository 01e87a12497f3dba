import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useProxiedStore, useStore } from '#infra/verify/harness/stores/store.ts';
import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { logStream } from '#shared/domain/log/events.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { beginsWithinMs } from '#shared/platform/event-store/log-gate.ts';
import { copiedFields, readAll, useSource, useTarget } from './testing/logs.ts';
import { runMove, startMove } from './testing/run-move.ts';

const newStream = () => `operation-${randomUUID()}`;
const appendOne = (store: EventStore, stream: string, deadlineMs = 10_000) =>
  store.append({
    stream,
    expectedRevision: NO_STREAM,
    deadlineMs,
    events: [newEvent({ type: 'Tested' })],
  });

async function hasEvents({ url }: { url: string }, least: number): Promise<void> {
  const log = connectRawLog(url);
  const isThere = async () => (await log.head()) > least;
  await eventually('the target has events', isThere, { intervalMs: 5 });
  await log.close();
}

// Processes are started, killed and restarted: on a busy machine each start takes seconds.

it('resumes after kill -9 of itself and of the target (R17.13)', async () => {
  const source = await useSource({ operations: 150 });
  const target = await useTarget();
  const first = startMove({ EVENT_STORE_URL: source.url }, ['--to', target.url]);
  await hasEvents(target, 30_000);
  first.kill('SIGKILL');
  await first.ended;
  const second = startMove({ EVENT_STORE_URL: source.url }, ['--to', target.url]);
  await hasEvents(target, 100_000);
  await target.restart();
  await eventually('it is copied', () => second.output().includes('Copied'));
  second.kill('SIGINT');
  expect(await second.ended).toBe(0);
  // A node writes an event of its own when it starts, which shifts positions.
  const positions = false;
  expect(copiedFields(await readAll(target.url), { positions })).toEqual(
    copiedFields(await readAll(source.url), { without: source.destroyed, positions }),
  );
});

it('does not write an append delayed for longer than a move waits (R17.14)', async () => {
  const source = await useSource({ operations: 1 });
  const { proxy, store: behind } = await useProxiedStore(source.url);
  expect(await appendOne(behind, newStream())).toMatchObject({ outcome: 'appended' });
  proxy.stall();
  const stream = newStream();
  expect(await appendOne(behind, stream, 300)).toMatchObject({ outcome: 'unknown' });
  const endsAt = Date.now() + beginsWithinMs;
  const isOver = () => Date.now() > endsAt;
  await eventually('its time is over', isOver);
  proxy.resume();
  // It follows the delayed append on the same connection.
  expect(await appendOne(behind, newStream())).toMatchObject({ outcome: 'appended' });
  expect(await source.store.read(stream)).toEqual([]);
});

it('moves a log during appends, and loses no acknowledged event (R17.14)', async () => {
  const source = await useSource();
  const target = await useTarget();
  const appended: string[] = [];
  const writing = (async () => {
    for (;;) {
      const stream = newStream();
      const { outcome } = await appendOne(source.store, stream, 1_000);
      if (outcome !== 'appended') return outcome;
      appended.push(stream);
    }
  })();
  const { code, output } = await runMove(
    { EVENT_STORE_URL: source.url },
    '--to',
    target.url,
    '--finish',
  );
  expect(output).toContain(`EVENT_STORE_URL=${target.url}`);
  expect(code).toBe(0);
  expect(await writing).toBe('unknown');
  expect(appended.length).toBeGreaterThan(0);

  const originals = await readAll(source.url);
  const copies = await readAll(target.url);
  const moved = copies.pop();
  expect([moved?.stream, moved?.type]).toEqual([logStream, 'LogMoved']);
  expect(copiedFields(copies)).toEqual(copiedFields(originals, { without: source.destroyed }));
  const copiedStreams = new Set(copies.map(({ stream }) => stream));
  expect(appended.filter((stream) => !copiedStreams.has(stream))).toEqual([]);

  expect(await appendOne(source.store, newStream(), 300)).toMatchObject({ outcome: 'unknown' });
  expect(await appendOne(useStore(source.url), newStream(), 300)).toMatchObject({
    outcome: 'unknown',
  });
  expect(await source.store.read(appended[0] ?? '')).toHaveLength(1);
  expect(await appendOne(useStore(target.url), newStream())).toMatchObject({
    outcome: 'appended',
  });

  const again = await runMove({ EVENT_STORE_URL: source.url }, '--to', target.url, '--finish');
  expect(again).toMatchObject({ code: 0, output: expect.stringContaining('EVENT_STORE_URL=') });
  expect(
    (await runMove({ EVENT_STORE_URL: source.url }, '--to', target.url, '--reopen')).code,
  ).toBe(3);
});

it('reopens a log whose move was killed, and rejects a target that is not a copy (R17.13, R17.14)', async () => {
  const source = await useSource({ operations: 1 });
  const target = await useTarget();
  const closedFor = (to: string, expectedRevision: number) =>
    source.store.append({
      stream: logStream,
      expectedRevision,
      events: [
        {
          id: randomUUID(),
          type: 'LogClosed',
          data: { to },
          metadata: { correlation_id: 'c', actor: 'service:move', schema_version: 1 },
        },
      ],
    });
  await closedFor('elsewhere:2113', NO_STREAM);
  for (const option of ['--reopen', '--finish'])
    expect(
      await runMove({ EVENT_STORE_URL: source.url }, '--to', target.url, option),
    ).toMatchObject({ code: 3, output: expect.stringContaining('elsewhere:2113') });
  await closedFor(new URL(target.url.replace(/^esdb/, 'http')).host, 0);
  expect(await appendOne(useStore(source.url), newStream(), 300)).toMatchObject({
    outcome: 'unknown',
  });
  const reopened = await runMove({ EVENT_STORE_URL: source.url }, '--to', target.url, '--reopen');
  expect(reopened).toEqual({ code: 0, output: 'The log takes appends again.\n' });
  expect(await appendOne(useStore(source.url), newStream())).toMatchObject({
    outcome: 'appended',
  });

  await appendOne(useStore(target.url), newStream());
  const refused = await runMove({ EVENT_STORE_URL: source.url }, '--to', target.url, '--finish');
  expect(refused.output).toMatch(/^The target holds Tested .*: name an empty store\.\n$/);
  expect(refused.code).toBe(3);
});
