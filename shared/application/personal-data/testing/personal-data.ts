import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createPersonalKeys } from '../keys.ts';
import { createMasterKeys } from '../master-keys.ts';
import { createPersonalData, type PersonalData } from '../personal-data.ts';

/** The master key of tests: all services on the store of a test must share it. */
export const testMasterKey = Buffer.alloc(32, 'of the tests').toString('base64url');

export const testMasters = createMasterKeys({
  PERSONAL_DATA_KEY: testMasterKey,
  PERSONAL_DATA_KEY_PREVIOUS: [],
});

/** Personal data on the store of a test, as in a separate process. */
export const testPersonalData = (given: Pick<EventStore, 'read' | 'append'>): PersonalData => {
  const store = { read: given.read, append: given.append, recent: () => undefined };
  return createPersonalData(
    createPersonalKeys({ store, masters: testMasters, actor: 'service:test' }),
  );
};
