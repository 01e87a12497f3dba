import { expect, it } from 'vitest';
import { appendsInServices } from './appends.ts';

const find = (path: string, text: string) => appendsInServices([{ path, text }]);

it.each([
  'await store.append({ stream, expectedRevision, events })',
  'await ports.eventStore.append(request)',
  'await store.tombstone(stream)',
  'const result = await decideAndAppend(target, decide);',
  "import { handleAdmitted } from '#shared/application/operations/handle-operation.ts';",
  'await members.change({ shopId, origin, decide })',
])('finds in a service: %s', (text) => {
  expect(find('services/processor/work.ts', text)).toHaveLength(1);
  expect(find('shared/application/operations/cancel.ts', text)).toEqual([]);
  expect(find('services/processor/testing/operations.ts', text)).toEqual([]);
});

it('does not find what a service only calls or reads', () => {
  const text = 'await cancelByMerchant(ports, command, origin); await store.read(stream);';
  expect(find('services/merchant-api/app.ts', text)).toEqual([]);
  expect(find('services/merchant-api/app.ts', 'headers.append(name, value)')).toEqual([]);
});
