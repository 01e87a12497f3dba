import { expect, it } from 'vitest';
import type { PostRequest } from '#shared/application/ledger/types.ts';
import { postEntries, type EntryToPost } from './post-entries.ts';

const entry: EntryToPost = {
  key: 'credit o',
  request: {
    kind: 'credit',
    operationId: 'o',
    recorded: '1.00',
    commission: '0.00',
    shopId: 's',
    currency: 'RUB',
    dueSince: 0n,
    origin: { actor: 'test', correlationId: 'c' },
  },
};

/** The deadline of the ledger after this many failures. */
async function deadlineAfter(tries?: number): Promise<number | undefined> {
  const requests: PostRequest[] = [];
  const post = async (request: PostRequest) => {
    requests.push(request);
    return { outcome: 'undecided', cause: new Error('no time to read back') } as const;
  };
  const { posted, result } = await postEntries({ post, isPosted: () => false }, [entry], tries);
  expect(posted).toEqual([]);
  expect(result).toEqual({
    outcome: 'failed',
    reason: 'the ledger did not decide: no time to read back',
    undecided: true,
  });
  return requests[0]?.deadlineMs;
}

it('doubles the ledger’s deadline after each failure, up to a minute', async () => {
  expect(await deadlineAfter()).toBe(5_000);
  expect(await deadlineAfter(1)).toBe(10_000);
  expect(await deadlineAfter(3)).toBe(40_000);
  expect(await deadlineAfter(1_000)).toBe(60_000);
});
