import { expect, it } from 'vitest';
import { lateStream } from '#shared/domain/late/events.ts';
import type { StoredExample } from '#shared/domain/testing/stored-examples.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { projectApproved, projectLateFact } from './project.ts';

const examples: readonly StoredExample[] = storedExamples.late;
const converted = examples.filter(({ read }) => read !== undefined);

it('late money has the provider’s leg id, even if an older event prefixes the attempt', () => {
  const rows = converted.map(({ type, data, schema_version }) => {
    const [stored] = storedEvents(lateStream('o'), [{ type, data }]);
    if (!stored) throw new Error('no event');
    const event = { ...stored, metadata: { ...stored.metadata, schema_version } };
    return projectApproved(event) ?? projectLateFact(event);
  });
  expect(rows).toMatchObject([
    { leg_id: '1:x', provider_leg_id: 'x' },
    { leg_id: '1:x', provider_leg_id: 'x' },
    { leg_id: '1:r', provider_leg_id: 'r', of_leg_id: 'x' },
    { leg_id: '1:x', provider_leg_id: 'x' },
    { leg_id: '1:r', provider_leg_id: 'r', of_leg_id: 'x' },
  ]);
});
