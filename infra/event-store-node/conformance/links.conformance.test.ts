import { BACKWARDS, END, binaryEvent, NO_STREAM } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { openRead } from './support/raw-read.ts';
import { collect, events, freshStream, sharedClient } from './support/store.ts';

const client = sharedClient();
const link = (target: string, revision: number) =>
  binaryEvent({ type: '$>', data: Buffer.from(`${revision}@${target}`) });

const linked = async () => {
  const [target, links] = [freshStream('target'), freshStream('links')];
  const written = events(3);
  await client.appendToStream(target, written, { expectedRevision: NO_STREAM });
  const result = await client.appendToStream(links, [link(target, 1), link(target, 2)]);
  return { target, links, written, position: result.position! };
};

describe('links', () => {
  it('are plain events unless resolved', async () => {
    const { links, target } = await linked();
    const [first] = await collect(client.readStream(links));
    expect(first?.link).toBeUndefined();
    expect(first?.event).toMatchObject({ type: '$>', streamId: links, revision: 0n });
    expect(Buffer.from(first?.event?.data as Uint8Array).toString()).toBe(`1@${target}`);
  });

  it('resolve to the target, with the link and its position', async () => {
    const { links, target, written } = await linked();
    const [first, second] = await collect(client.readStream(links, { resolveLinkTos: true }));
    expect(first?.event).toMatchObject({
      streamId: target,
      revision: 1n,
      id: written[1]?.id,
      data: { n: 1 },
    });
    expect(first?.link).toMatchObject({ streamId: links, revision: 0n, type: '$>' });
    expect(first?.commitPosition).toBe(first?.link?.position?.commit);
    expect(second?.event?.id).toBe(written[2]?.id);
  });

  it('resolve backwards too', async () => {
    const { links, written } = await linked();
    const read = await collect(
      client.readStream(links, { resolveLinkTos: true, direction: BACKWARDS, fromRevision: END }),
    );
    expect(read.map(({ event }) => event?.id)).toEqual([written[2]?.id, written[1]?.id]);
  });

  it('resolve in $all', async () => {
    const { links, written, position } = await linked();
    const all = await collect(
      client.readAll({ fromPosition: position, maxCount: 1, resolveLinkTos: true }),
    );
    expect(all[0]?.event?.id).toBe(written[2]?.id);
    expect(all[0]?.link).toMatchObject({ streamId: links, revision: 1n });
  });

  it('resolve in a subscription', async () => {
    const { links, written } = await linked();
    const subscription = openRead({ stream: links, resolveLinks: true });
    await subscription.until((kinds) => kinds.filter((kind) => kind === 'event').length === 2);
    const ids = subscription.messages.flatMap(
      (message) => message.getEvent()?.getEvent()?.getId()?.getString() ?? [],
    );
    expect(ids).toEqual([written[1]?.id, written[2]?.id]);
  });

  it('resolve in a live subscription', async () => {
    const { target, written } = await linked();
    const links = freshStream('links');
    const subscription = openRead({ stream: links, resolveLinks: true });
    await subscription.until((kinds) => kinds.includes('confirmation'));
    await client.appendToStream(links, [link(target, 0), link(target, 77)]);
    await subscription.until((kinds) => kinds.filter((kind) => kind === 'event').length === 2);
    const [good, broken] = subscription.messages.flatMap((message) => message.getEvent() ?? []);
    expect(good?.getEvent()?.getId()?.getString()).toBe(written[0]?.id);
    expect(good?.getLink()?.getStreamRevision()).toBe('0');
    expect([broken?.hasEvent(), broken?.getLink()?.getStreamRevision()]).toEqual([false, '1']);
  });

  it.each([
    ['a missing stream', async () => freshStream()],
    [
      'a missing revision',
      async () => {
        const target = freshStream();
        await client.appendToStream(target, events(2));
        return target;
      },
    ],
    [
      'a tombstoned stream',
      async () => {
        const target = freshStream();
        await client.appendToStream(target, events(6));
        await client.tombstoneStream(target);
        return target;
      },
    ],
    [
      'a truncated event',
      async () => {
        const target = freshStream();
        await client.appendToStream(target, events(9));
        await client.setStreamMetadata(target, { truncateBefore: 8 });
        return target;
      },
    ],
  ])('have only a link if they point to %s', async (_, makeTarget) => {
    const links = freshStream('links');
    const target = await makeTarget();
    await client.appendToStream(links, link(target, 5));
    const [broken] = await collect(client.readStream(links, { resolveLinkTos: true }));
    expect(broken?.event).toBeUndefined();
    expect(broken?.link).toMatchObject({ streamId: links, revision: 0n });
  });
});
