import {
  eventTypeFilter,
  excludeSystemEvents,
  streamNameFilter,
  type Position,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { followSubscription, followAndResume } from './support/follow.ts';
import { rawRead, readRecordedEvent, type RawRead } from './support/raw-read.ts';
import { collect, event, events, isExternal, sharedClient } from './support/store.ts';

const client = sharedClient();
const run = randomUUID().slice(0, 8);
const [red, blue, green] = [`red-${run}`, `blue-${run}`, `green-${run}`];
const umlaut = `größe-${run}`;
/** The position before all events of this file. */
let start: Position;

beforeAll(async () => {
  start = (await client.appendToStream(`start-${run}`, event())).position!;
  await client.appendToStream(red, event(0, `${run}-opened`));
  await client.appendToStream(blue, event(1, `${run}-opened`));
  await client.appendToStream(green, event(2, `${run}-closed`));
  await client.appendToStream(red, event(3, `${run}-closed`));
  await client.setStreamMetadata(red, { maxCount: 100 });
  await client.appendToStream(umlaut, event());
  await client.appendToStream(`other-${red}`, event(4, `x${run}-opened`));
});

const cases = [
  ['stream prefix', streamNameFilter({ prefixes: [red] }), [`0@${red}`, `1@${red}`]],
  [
    'several stream prefixes',
    streamNameFilter({ prefixes: [blue, green] }),
    [`0@${blue}`, `0@${green}`],
  ],
  [
    'stream regular expression',
    streamNameFilter({ regex: `^(red|green)-${run}$` }),
    [`0@${red}`, `0@${green}`, `1@${red}`],
  ],
  [
    'stream regular expression without anchors',
    streamNameFilter({ regex: `d-${run}` }),
    [`0@${red}`, `1@${red}`, `0@$$${red}`, `0@other-${red}`],
  ],
  [
    'type prefix',
    eventTypeFilter({ prefixes: [`${run}-`] }),
    [`0@${red}`, `0@${blue}`, `0@${green}`, `1@${red}`],
  ],
  [
    'several type prefixes',
    eventTypeFilter({ prefixes: [`${run}-op`, `x${run}`] }),
    [`0@${red}`, `0@${blue}`, `0@other-${red}`],
  ],
  [
    'type regular expression',
    eventTypeFilter({ regex: `^x?${run}-(opened)$` }),
    [`0@${red}`, `0@${blue}`, `0@other-${red}`],
  ],
] as const;

/** A real server interprets regular expressions as .NET does, not as JavaScript. */
const netCases = [
  [String.raw`\Ared-${run}\z`, [`0@${red}`, `1@${red}`]],
  [String.raw`\A\p{Ll}+-\w+\z`, [`0@${red}`, `0@${blue}`, `0@${green}`, `1@${red}`, `0@${umlaut}`]],
  [String.raw`^\w+\b-${run}$`, [`0@${red}`, `0@${blue}`, `0@${green}`, `1@${red}`, `0@${umlaut}`]],
] as const;

type RawFilter = Exclude<RawRead['filter'], 'unset' | undefined>;
const rawFilter = (filter: (typeof cases)[number][1]): RawFilter => ({
  on: filter.filterOn === 'streamName' ? 'stream' : 'type',
  ...('regex' in filter ? { regex: filter.regex } : { prefixes: [...filter.prefixes] }),
});
/** The matching events of a read, as `revision@stream`. */
const readBy = async (filter: RawFilter) => {
  const { messages } = await rawRead({
    from: start,
    count: 1000,
    filter: { window: 1000, ...filter },
  });
  return messages
    .filter((message) => message.hasEvent())
    .map(readRecordedEvent)
    .map((recorded) => {
      const name = recorded.getStreamIdentifier()?.getStreamName_asU8() ?? [];
      return `${recorded.getStreamRevision()}@${Buffer.from(name).toString()}`;
    });
};

describe('filters', () => {
  it.each(cases)('select events by %s in a subscription', async (_, filter, expected) => {
    const seen = followSubscription(client.subscribeToAll({ fromPosition: start, filter }));
    await seen.until(({ caughtUps }) => caughtUps > 0);
    await seen.until((all) => all.events.length >= expected.length);
    expect(seen.events.map(({ streamId, revision }) => `${revision}@${streamId}`)).toEqual([
      ...expected,
    ]);
  });

  it.each(cases)('select events by %s in a read', async (_, filter, expected) => {
    expect(await readBy(rawFilter(filter))).toEqual([...expected]);
  });

  it('select events of a type by a type filter, not streams with such a name', async () => {
    await client.appendToStream(`${run}-stream`, event());
    expect(await readBy({ on: 'type', prefixes: [`${run}-stream`] })).toEqual([]);
  });

  it.skipIf(isExternal)(
    'prefer a regular expression to prefixes; none select nothing',
    async () => {
      const both = { regex: `^red-${run}$`, prefixes: [blue] };
      expect(await readBy({ on: 'stream', ...both })).toEqual([`0@${red}`, `1@${red}`]);
      expect(await readBy({ on: 'stream', prefixes: [] })).toEqual([]);
    },
  );

  it.each(netCases)('interpret %s as .NET does', async (regex, expected) => {
    const filter = streamNameFilter({ regex });
    const seen = followSubscription(client.subscribeToAll({ fromPosition: start, filter }));
    await seen.until(({ caughtUps }) => caughtUps > 0);
    const mine = seen.events.filter(({ streamId }) => streamId.endsWith(run));
    expect(mine.map(({ streamId, revision }) => `${revision}@${streamId}`)).toEqual([...expected]);
  });

  it.each([String.raw`(?<n>a`, String.raw`a\_`, '[z-a]'])('reject %s', async (regex) => {
    const { ending } = await rawRead({ count: 10, filter: { on: 'stream', regex, window: 1000 } });
    expect(ending.code).not.toBe(0);
  });

  it.skipIf(isExternal).each([
    ['[a-z-[aeiou]]', '-[ within a set is not supported'],
    [String.raw`(a)\1`, String.raw`\1 is not supported`],
    ['(?>a)', '(?> is not supported'],
  ])('reject %s, which the node does not support, with the reason', async (regex, why) => {
    const { ending } = await rawRead({ count: 10, filter: { on: 'stream', regex, window: 1000 } });
    expect(ending).toMatchObject({
      code: 3,
      details: `The filter's regular expression can't be used: ${why}.`,
    });
  });

  it('apply the count of a read to matching events', async () => {
    const filter: NonNullable<RawRead['filter']> = {
      on: 'type',
      prefixes: [`${run}-`],
      window: 1000,
    };
    const { messages } = await rawRead({ from: start, count: 2, filter });
    const matching = messages.filter((message) => message.hasEvent()).map(readRecordedEvent);
    expect(matching.map((recorded) => recorded.getStreamRevision())).toEqual(['0', '0']);
  });

  it('return the newest matching event first in a backwards read', async () => {
    const filter: NonNullable<RawRead['filter']> = { on: 'stream', prefixes: [red], window: 1000 };
    const { messages } = await rawRead({ count: 10, from: 'end', direction: 'backwards', filter });
    const matching = messages.filter((message) => message.hasEvent()).map(readRecordedEvent);
    expect(matching.map((recorded) => recorded.getStreamRevision())).toEqual(['1', '0']);
  });

  it('apply to live events too', async () => {
    const live = `live-${randomUUID()}`;
    const seen = followSubscription(
      client.subscribeToAll({
        fromPosition: 'end',
        filter: streamNameFilter({ prefixes: [live] }),
      }),
    );
    await seen.until(({ caughtUps }) => caughtUps > 0);
    await client.appendToStream(`not-${live}`, event());
    await client.appendToStream(live, events(2));
    await client.appendToStream(`${live}-b`, event());
    await seen.until((all) => all.events.length === 3);
    expect(seen.events.map(({ streamId }) => streamId)).toEqual([live, live, `${live}-b`]);
  });

  it('hide $metadata and tombstones with excludeSystemEvents', async () => {
    const gone = `gone-${randomUUID()}`;
    const existing = `existing-${randomUUID()}`;
    await client.appendToStream(existing, event());
    await client.setStreamMetadata(existing, { maxCount: 3 });
    // Its own events may be scavenged before they are read.
    await client.appendToStream(gone, event());
    await client.tombstoneStream(gone);
    const last = await client.appendToStream(`end-${randomUUID()}`, event());
    const seen = followAndResume((newest) =>
      client.subscribeToAll({
        fromPosition: newest?.position ?? start,
        filter: excludeSystemEvents(),
      }),
    );
    await seen.until((all) =>
      all.events.some(({ position }) => position.commit === last.position?.commit),
    );
    expect(seen.events.filter(({ type }) => type.startsWith('$'))).toEqual([]);
    expect(seen.events.map(({ streamId }) => streamId)).toContain(existing);
  });

  // A trap of the client, not of the server.
  it('are ignored by readAll of the client', async () => {
    const options = { fromPosition: start, filter: streamNameFilter({ prefixes: [green] }) };
    const read = await collect(client.readAll(options));
    expect(read.map(({ event: recorded }) => recorded?.streamId)).toEqual(
      expect.arrayContaining([red, blue, green]),
    );
  });
});
