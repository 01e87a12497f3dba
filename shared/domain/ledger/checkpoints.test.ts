import { describe, expect, it } from 'vitest';
import { decideSigningKey, foldCheckpointKeys, signedText, treeOrigin } from './checkpoints.ts';

const at = '2026-01-31T12:00:00.000Z';
const later = '2026-02-28T12:00:00.000Z';
type Key = Parameters<typeof decideSigningKey>[1];

/** The stream after keys were set one after the other. */
function given(...keys: readonly Key[]) {
  const events: Parameters<typeof foldCheckpointKeys>[0][number][] = [];
  for (const key of keys) {
    const decision = decideSigningKey(foldCheckpointKeys(events), key);
    if ('events' in decision) events.push(...decision.events);
  }
  return {
    thenKeys: foldCheckpointKeys(events),
    when: (key: Key) => decideSigningKey(foldCheckpointKeys(events), key),
  };
}

const first = { keyId: 'k1', x: 'x1', at };
const second = { keyId: 'k2', x: 'x2', at: later };

describe('checkpoint keys', () => {
  it('are valid from their first use', () => {
    expect(given(first).thenKeys).toEqual([{ keyId: 'k1', x: 'x1', validFrom: at }]);
  });

  it('do not change at a restart', () => {
    expect(given(first).when({ ...first, at: later })).toEqual({ events: [] });
  });

  it('end when the next one begins, and stay listed (R25.6)', () => {
    expect(given(first, second).thenKeys).toEqual([
      { keyId: 'k1', x: 'x1', validFrom: at, validUntil: later },
      { keyId: 'k2', x: 'x2', validFrom: later },
    ]);
  });

  it('cannot be used again once they have ended (R25.6)', () => {
    expect(given(first, second).when(first)).toEqual({ refusal: 'key_ended' });
  });
});

it('signs the body of a tlog-checkpoint, with its time', () => {
  const tree = { origin: treeOrigin('shop-1', 'RUB'), treeSize: 3, root: 'q+/=' };
  expect(signedText({ ...tree, at })).toBe(`shop-1/RUB\n3\nq+/=\n${at}\n`);
});
