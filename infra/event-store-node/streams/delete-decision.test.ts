import { expect, it } from 'vitest';
import type { StreamFacts } from './append-decision.ts';
import { decideDelete } from './delete-decision.ts';
import type { ExpectedRevision } from './expected-revision.ts';

const stream: StreamFacts = {
  head: 3,
  tombstoned: false,
  softDeleted: false,
  hasMetadata: () => false,
  recent: () => undefined,
  eventAt: () => ({ id: Buffer.alloc(16, 1), position: 1 }),
};
const missing: StreamFacts = { ...stream, head: -1, eventAt: () => undefined };
const described: StreamFacts = { ...missing, hasMetadata: () => true };
const any: ExpectedRevision = { kind: 'any' };
const noStream: ExpectedRevision = { kind: 'no_stream' };
const exists: ExpectedRevision = { kind: 'stream_exists' };
const at = (revision: bigint): ExpectedRevision => ({ kind: 'exact', revision });
const wrong = (actual: number) => ({ kind: 'wrong_expected_version', actual });

it.each([
  ['soft, any', stream, any, 'soft', { kind: 'write' }],
  ['soft, the head', stream, at(3n), 'soft', { kind: 'write' }],
  ['soft, another revision', stream, at(99n), 'soft', wrong(3)],
  ['soft, behind the head', stream, at(1n), 'soft', wrong(3)],
  ['soft, no stream', stream, noStream, 'soft', wrong(3)],
  ['soft, again', { ...stream, softDeleted: true }, any, 'soft', { kind: 'write' }],
  ['soft, missing stream, any', missing, any, 'soft', wrong(-1)],
  ['soft, missing stream, no stream', missing, noStream, 'soft', wrong(-1)],
  ['soft, only metadata, any', described, any, 'soft', { kind: 'write' }],
  ['soft, only metadata, no stream', described, noStream, 'soft', { kind: 'write' }],
  ['soft, only metadata, stream exists', described, exists, 'soft', { kind: 'write' }],
  ['soft, only metadata, a revision', described, at(0n), 'soft', wrong(-1)],
  ['soft, tombstoned', { ...stream, tombstoned: true }, any, 'soft', { kind: 'deleted' }],
  ['tombstone, any', stream, any, 'tombstone', { kind: 'write' }],
  ['tombstone, missing stream', missing, any, 'tombstone', { kind: 'write' }],
  ['tombstone, another revision', stream, at(7n), 'tombstone', wrong(3)],
  ['tombstone, again', { ...stream, tombstoned: true }, any, 'tombstone', { kind: 'deleted' }],
] as const)('decides a deletion: %s', (_, facts, expected, mode, decision) => {
  expect(decideDelete(facts, expected, mode)).toEqual(decision);
});
