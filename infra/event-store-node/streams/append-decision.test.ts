import { describe, expect, it } from 'vitest';
import { decideAppend } from './append-decision.ts';
import type { AppendDecision, StreamFacts } from './append-decision.ts';
import type { ExpectedRevision } from './expected-revision.ts';

const id = (byte: number): Buffer => Buffer.alloc(16, byte);

// A stream whose events 0, 1, 2 have the ids 10, 11, 12 and the positions 100, 110, 120.
function streamOf(overrides: Partial<StreamFacts> = {}): StreamFacts {
  const events = [10, 11, 12].map((byte, revision) => ({
    id: id(byte),
    revision,
    position: 100 + 10 * revision,
  }));
  return {
    head: 2,
    tombstoned: false,
    softDeleted: false,
    hasMetadata: () => false,
    recent: (wanted) => events.find((event) => event.id.equals(wanted)),
    eventAt: (revision) => events[revision],
    ...overrides,
  };
}

const missing: Partial<StreamFacts> = {
  head: -1,
  recent: () => undefined,
  eventAt: () => undefined,
};
const any: ExpectedRevision = { kind: 'any' };
const noStream: ExpectedRevision = { kind: 'no_stream' };
const exists: ExpectedRevision = { kind: 'stream_exists' };
const at = (revision: bigint): ExpectedRevision => ({ kind: 'exact', revision });

const write: AppendDecision = { kind: 'write' };
const deleted: AppendDecision = { kind: 'deleted' };
const wrong = (actual: number): AppendDecision => ({ kind: 'wrong_expected_version', actual });
const retry = (revision: number): AppendDecision => ({
  kind: 'idempotent',
  revision,
  position: 100 + 10 * revision,
});

describe('an append with new ids', () => {
  it.each([
    ['any, missing stream', missing, any, write],
    ['no stream, missing stream', missing, noStream, write],
    ['stream exists, missing stream', missing, exists, wrong(-1)],
    [
      'stream exists, metadata only',
      { ...missing, hasMetadata: (): boolean => true },
      exists,
      write,
    ],
    ['exact, missing stream', missing, at(0n), wrong(-1)],
    ['any', {}, any, write],
    ['stream exists', {}, exists, write],
    ['no stream, but there is one', {}, noStream, wrong(2)],
    ['the head', {}, at(2n), write],
    ['behind the head', {}, at(1n), wrong(2)],
    ['beyond the head', {}, at(3n), wrong(2)],
    ['the largest uint64', {}, at(18_446_744_073_709_551_615n), wrong(2)],
    ['any, soft-deleted', { softDeleted: true }, any, write],
    ['no stream, soft-deleted', { softDeleted: true }, noStream, write],
    ['the head, soft-deleted', { softDeleted: true }, at(2n), write],
    ['behind the head, soft-deleted', { softDeleted: true }, at(0n), wrong(2)],
    ['stream exists, soft-deleted', { softDeleted: true }, exists, deleted],
    ['any, tombstoned', { tombstoned: true }, any, deleted],
    ['no stream, tombstoned', { tombstoned: true }, noStream, deleted],
    ['exact, tombstoned', { tombstoned: true }, at(7n), deleted],
  ] as const)('is decided by revision: %s', (_, facts, expected, decision) => {
    expect(decideAppend(streamOf(facts), expected, [id(90), id(91)])).toEqual(decision);
  });
});

describe('an append with existing ids', () => {
  it.each([
    ['any, the first', any, [10], retry(0)],
    ['any, the first two', any, [10, 11], retry(1)],
    ['stream exists, the last', exists, [12], retry(2)],
    ['no stream, all of them', noStream, [10, 11, 12], retry(2)],
    ['no stream, the first', noStream, [10], retry(0)],
    ['exact as the first time', at(0n), [11, 12], retry(2)],
    ['known, then new, with any', any, [12, 90], wrong(2)],
    ['known, then new, at the revision', at(1n), [12, 90], wrong(2)],
    ['new, then known, with any', any, [90, 10], write],
    ['out of order', noStream, [11, 10], wrong(2)],
    ['known elsewhere in the stream', noStream, [11], wrong(2)],
    ['at the head it is a new event', at(2n), [12], write],
  ] as const)('is decided by ids and revision: %s', (_, expected, ids, decision) => {
    expect(decideAppend(streamOf(), expected, ids.map(id))).toEqual(decision);
  });

  it('is not a retry if only some ids exist, even in a soft-deleted stream', () => {
    const stream = streamOf({ softDeleted: true });
    expect(decideAppend(stream, noStream, [id(10), id(90)])).toEqual(wrong(2));
  });
});

describe('an append of no events', () => {
  it.each([
    [any, write],
    [at(2n), write],
    [at(1n), wrong(2)],
    [noStream, wrong(2)],
  ] as const)('is decided by revision: %o', (expected, decision) => {
    expect(decideAppend(streamOf(), expected, [])).toEqual(decision);
  });
});
