import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '#infra/event-store-node/storage/open-store.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { operationEventSchemas } from '#shared/domain/operation/events.ts';
import { writeOperations } from './log-of-operations.ts';

it('writes a log as so many operations write it, side by side', async () => {
  const folder = makeTempFolder();
  onTestFinished(() => removeFolder(folder));
  const { events, bytes } = await writeOperations(folder, 200);
  expect(events / 200).toBeGreaterThan(5);
  expect(events / 200).toBeLessThan(6.5);
  expect(bytes / events).toBeGreaterThan(400);

  const store = openStore(folder, { onFatal: () => undefined, onRefused: () => undefined });
  onTestFinished(() => store.close());
  const all = store.log.allForwards(0, 10_000).filter(({ type }) => !/^(\$|$)/.test(type));
  expect(all).toHaveLength(events);
  const ofOperations = all.filter(({ type }) => type in operationEventSchemas);
  const byStream = Map.groupBy(ofOperations, ({ streamId }) => streamId);
  expect(byStream.size).toBe(200);
  for (const each of byStream.values())
    expect(each.map(({ type }) => type)).toEqual([
      'OperationAdmitted',
      'AttemptStarted',
      'AttemptAccepted',
      'OperationCompleted',
    ]);
  // Appends of many operations mingle.
  const alone = all.filter(({ streamId }, at) => all[at - 1]?.streamId === streamId);
  expect(alone.length).toBeLessThan(events / 4);
});
