import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDropOldest } from './drop-oldest.ts';

const action = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key: fc.nat(30) }),
  fc.record({ do: fc.constant('delete' as const), key: fc.nat(30) }),
  fc.record({ do: fc.constant('drop' as const) }),
);

it('drops what was set first of what is there, whatever was set, set again and deleted before', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 300 }), (actions) => {
      const map = new Map<number, true>();
      const dropOldest = createDropOldest(map);
      const expected: number[] = [];
      for (const each of actions) {
        if (each.do === 'drop') {
          dropOldest();
          expected.shift();
          continue;
        }
        const at = expected.indexOf(each.key);
        if (at >= 0) expected.splice(at, 1);
        map.delete(each.key);
        if (each.do === 'set') {
          map.set(each.key, true);
          expected.push(each.key);
        }
      }
      expect([...map.keys()]).toEqual(expected);
    }),
  );
});
