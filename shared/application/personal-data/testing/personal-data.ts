import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createPersonalKeys } from '../keys.ts';
import { createMasterKeys } from '../master-keys.ts';
import type { Requisites, StoredRequisites } from '#shared/domain/operation/events.ts';
import { createPersonalData, type PersonalData, type Sealer } from '../personal-data.ts';

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

/** A provider's requisites as the log has them. */
export function sealedRequisites(
  sealer: Sealer,
  { operationId, attempt }: { operationId: string; attempt: number },
  requisites: Requisites,
): StoredRequisites {
  const data = { attempt, provider_reference: 'ref', requisites, confirmation_required: false };
  const sealed = sealer.event(operationId, { type: 'AttemptAccepted', data });
  if (sealed.type !== 'AttemptAccepted' || !sealed.data.requisites)
    throw new Error('the acceptance lost its requisites');
  return sealed.data.requisites;
}
