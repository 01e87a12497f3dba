import type { Config } from '#shared/platform/config/load.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createPersonalKeys } from './keys.ts';
import { createMasterKeys, type personalDataVariables } from './master-keys.ts';
import { createPersonalData, type PersonalData } from './personal-data.ts';

export { personalDataVariables } from './master-keys.ts';

/** Personal data as a service has it; `service` is who makes clients' keys. */
export function connectPersonalData(
  config: Config<(typeof personalDataVariables)[number]>,
  { store, service }: { store: Pick<EventStore, 'read' | 'append' | 'recent'>; service: string },
): PersonalData {
  const masters = createMasterKeys(config);
  return createPersonalData(createPersonalKeys({ store, masters, actor: `service:${service}` }));
}
