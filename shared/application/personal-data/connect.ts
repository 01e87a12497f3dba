import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createPersonalKeys } from './keys.ts';
import type { MasterKeys } from './master-keys.ts';
import { createPersonalData, type PersonalData } from './personal-data.ts';

export { personalDataVariables } from './master-keys.ts';

/** Personal data for a service; `service` is the actor that makes clients' keys. */
export function connectPersonalData(
  masters: MasterKeys,
  { store, service }: { store: Pick<EventStore, 'read' | 'append' | 'recent'>; service: string },
): PersonalData {
  return createPersonalData(createPersonalKeys({ store, masters, actor: `service:${service}` }));
}
