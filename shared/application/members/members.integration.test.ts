import { beforeAll, beforeEach, expect, it } from 'vitest';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { addMember, issueSignInLink } from '#shared/domain/member/decide.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createMemberList, maxShops } from './members.ts';

const store = storeForFile();
/** The revision from which each stream was read. */
const reads: (bigint | number | undefined)[] = [];
let counted: EventStore;
beforeAll(() => {
  counted = {
    ...store,
    read: (stream, options) => {
      reads.push(options?.fromRevision);
      return store.read(stream, options);
    },
  };
});
beforeEach(() => void reads.splice(0));

const origin = { actor: 'operator:alice', correlationId: 'test' };
const link = {
  linkHash: 'h',
  expiresAt: '2026-01-31T13:00:00.000Z',
  countedFrom: '2026-01-30T12:00:00.000Z',
};
const change = (shopId: string) => ({
  shopId,
  origin,
  decide: (state: Parameters<typeof addMember>[0]) =>
    addMember(state, { by: undefined, memberId: shopId, name: 'Anna', role: 'admin', link }),
});

it('does not evict known shops for requests of unknown ones', async () => {
  const members = createMemberList(counted);
  const shopIds = Array.from({ length: maxShops }, () => newId());
  await Promise.all(shopIds.map((shopId) => members.change(change(shopId))));
  await Promise.all(shopIds.map((shopId) => members.of(shopId)));
  await Promise.all(shopIds.map(() => members.of(newId())));
  reads.splice(0);
  await Promise.all(shopIds.map((shopId) => members.of(shopId)));
  expect(reads).toEqual(shopIds.map(() => 2));
});

it('decides a change on the cached state plus later events of other processes', async () => {
  const [here, there] = [createMemberList(counted), createMemberList(store)];
  const shopId = newId();
  await here.change(change(shopId));
  await here.of(shopId);
  await there.change({
    ...change(shopId),
    decide: (state) => issueSignInLink(state, { by: undefined, memberId: shopId, link }),
  });
  reads.splice(0);
  let decidedAt = -1;
  await here.change({
    ...change(shopId),
    decide: (state) => {
      decidedAt = state.revision;
      return issueSignInLink(state, { by: undefined, memberId: shopId, link });
    },
  });
  expect([reads, decidedAt]).toEqual([[2], 2]);
});

it('reads nothing again for a change right after a read', async () => {
  const members = createMemberList(counted);
  const shopId = newId();
  await members.change(change(shopId));
  const state = await members.of(shopId);
  reads.splice(0);
  const decide = (latest: typeof state) =>
    issueSignInLink(latest, { by: undefined, memberId: shopId, link });
  await members.change({ ...change(shopId), fromState: state, decide });
  expect(reads).toEqual([]);
  expect((await members.of(shopId)).revision).toBe(state.revision + 1);
});
