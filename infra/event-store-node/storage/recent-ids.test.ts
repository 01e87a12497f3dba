import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecentIds } from './recent-ids.ts';

const idOf = (number: number): Buffer => {
  const id = Buffer.alloc(16);
  id.writeUInt32BE(number, 12);
  return id;
};

describe('the ids of the newest events', () => {
  it('are found with the location of their event, in its own stream only', () => {
    const recent = createRecentIds(4);
    recent.add(7, idOf(1), { revision: 3, position: 2 ** 40 });
    expect(recent.find(7, idOf(1))).toEqual({ revision: 3, position: 2 ** 40 });
    expect(recent.find(8, idOf(1))).toBeUndefined();
    expect(recent.find(7, idOf(2))).toBeUndefined();
  });

  it('are dropped when cleared', () => {
    const recent = createRecentIds(4);
    recent.add(7, idOf(1), { revision: 3, position: 5 });
    recent.clear();
    expect(recent.find(7, idOf(1))).toBeUndefined();
  });

  it('are the newest N; a repeated id belongs to its newest event', () => {
    const adds = fc.array(fc.record({ stream: fc.nat(3), id: fc.nat(40) }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 8, 32), adds, (limit, added) => {
        const recent = createRecentIds(limit);
        for (const [position, { stream, id }] of added.entries()) {
          recent.add(stream, idOf(id), { revision: position * 2, position });
        }
        const retained = added.map((one, position) => ({ ...one, position })).slice(-limit);
        for (let id = 0; id <= 40; id += 1) {
          const last = retained.findLast((one) => one.id === id);
          for (let stream = 0; stream <= 3; stream += 1) {
            const expected = last?.stream === stream ? last.position : undefined;
            expect(recent.find(stream, idOf(id))?.position).toBe(expected);
          }
        }
      }),
    );
  });

  it('require a size that is a power of two', () => {
    expect(() => createRecentIds(10)).toThrow('10 is not a power of two');
  });
});
