import { expect, it } from 'vitest';
import type { RawEvent } from './raw-event.ts';
import { restoreTime, withTime } from './recorded-before.ts';

const event = (metadata: string): RawEvent => ({
  position: 5,
  stream: 'operation-a',
  revision: 0,
  id: 'id',
  type: 'OperationAdmitted',
  contentType: 'application/json',
  createdTicks: '17000000000000000',
  data: Buffer.from('{}'),
  metadata: Buffer.from(metadata),
});

it.each(['{"actor":"a","schema_version":1}', '{"a":{"$created":"1"}}'])(
  'restores the time of a moved event, and its metadata byte by byte: %s',
  (metadata) => {
    const moved = { ...event(''), createdTicks: '18', metadata: withTime(event(metadata)) };
    expect(JSON.parse(moved.metadata.toString())).toMatchObject(JSON.parse(metadata) as object);
    restoreTime(moved);
    expect(moved).toEqual({ ...event(metadata), storeTicks: '18' });
  },
);

it.each(['', '{}', '[1]', 'text'])('adds no time to metadata without members: %j', (metadata) => {
  expect(withTime(event(metadata)).toString()).toBe(metadata);
});

it.each([
  '',
  '{}',
  'text',
  '{"$created":"17',
  '{"$created":"17"}',
  '{"a":{"$created":"17","b":1}}',
])('leaves metadata that do not begin with a time unchanged: %j', (metadata) => {
  const read = event(metadata);
  restoreTime(read);
  expect(read).toEqual(event(metadata));
});
