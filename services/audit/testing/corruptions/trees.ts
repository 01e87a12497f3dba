import { addedKey } from '../checkpoints.ts';
import { type Corruptions, rootSigned } from './changes.ts';

export const trees = {
  'tree.root': {
    'a signed root of other entries': rootSigned({ change: { root: 'A'.repeat(43) } }),
  },
  'tree.size': {
    'a signed size beyond the number of entries': rootSigned({ change: { tree_size: 1_000 } }),
    'a size signed twice': rootSigned({ times: 2 }),
  },
  'tree.signature': {
    'a wrong signature': rootSigned({ change: { signature: 'A'.repeat(86) } }),
    'a signing key that is in no event': rootSigned({ keys: [] }),
    'a signature from before the key was valid': rootSigned({
      change: { signed_at: '2026-01-31T11:00:00.000Z' },
    }),
    'a signature from after the key was retired': rootSigned({
      retired: ['2026-01-31T12:09:59.000Z'],
    }),
  },
  'tree.key': {
    'a duplicate key id': rootSigned({ keys: [addedKey, addedKey] }),

    'a second key while the first signs': rootSigned({
      keys: [addedKey, { ...addedKey, key_id: 'other' }],
    }),
    'the end of an unknown key': rootSigned({ keys: [], retired: ['2026-01-31T12:11:00.000Z'] }),
    'a key retired twice': rootSigned({
      retired: ['2026-01-31T12:11:00.000Z', '2026-01-31T12:12:00.000Z'],
    }),
  },
} satisfies Corruptions;
