import { describe, expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { canMakeDisks, startStoreOnDisk } from '#infra/verify/harness/stores/store-on-tmpfs.ts';
import {
  appender,
  appendPaths,
  collect,
  connect,
  event,
  freshStream,
  isExternal,
  rejection,
} from './support/store.ts';

const folder = makeTempFolder();
const canTest = !isExternal && canMakeDisks(folder);
removeFolder(folder);

const full = /database or disk is full/;

describe.skipIf(!canTest)(
  'a full disk (needs its own node, and a system that can create a disk)',
  () => {
    it.each(appendPaths)(
      'is reported by the $path path; reads continue, and appends once there is space',
      async ({ via }) => {
        const disk = useTempFolder();
        const store = await startStoreOnDisk(disk, 32);
        onTestFinished(() => store.stop());
        const client = connect(store.url);
        const append = appender(client, via);
        const stream = freshStream();
        await append(stream, event());
        store.fill();
        const refused = await rejection(append(freshStream(), manyEvents()));
        expect(refused.message).toMatch(full);
        expect(await collect(client.readStream(stream))).toHaveLength(1);
        store.makeRoom();
        const again = await append(stream, event(1), 0n);
        expect(again.nextExpectedRevision).toBe(1n);
      },
    );
  },
);

/** More than fits into the space that the log already occupies. */
const manyEvents = () => Array.from({ length: 300 }, (_, n) => event(n, 'x'.repeat(2000)));
