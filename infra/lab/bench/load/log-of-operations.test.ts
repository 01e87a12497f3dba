import { expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { openStore } from '#infra/event-store-node/storage/open-store.ts';
import { writeOperations } from './log-of-operations.ts';

it('writes the log of 500 concurrent operations', async () => {
  const folder = useTempFolder();
  const { events, bytes } = await writeOperations(folder, 500);
  expect(events / 500).toBeGreaterThan(6.5);
  expect(events / 500).toBeLessThan(7);
  expect(bytes / events).toBeGreaterThan(200);

  const store = openStore(folder, { onFatal: () => undefined, onRefused: () => undefined });
  onTestFinished(() => store.close());
  const all = store.log.allForwards(0, 10_000).filter(({ type }) => !/^(\$|$)/.test(type));
  expect(all).toHaveLength(events);
  const ended = all.filter(({ type }) => type === 'OperationCompleted');
  expect(new Set(ended.map(({ streamId }) => streamId)).size).toBe(500);
  // Appends of different operations interleave.
  const alone = all.filter(({ streamId }, at) => all[at - 1]?.streamId === streamId);
  expect(alone.length).toBeLessThan(events / 4);
});
