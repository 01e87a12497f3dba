import { addedKey } from '../checkpoints.ts';
import { type Corruptions, rootSigned } from './changes.ts';

export const trees = {
  'tree.root': {
    'a signed root of other entries': rootSigned({ change: { root: 'A'.repeat(43) } }),
  },
  'tree.size': {
    'a signed size beyond the number of entries': rootSigned({ change: { tree_size: 1_000 } }),
    'fewer signed entries than before': rootSigned({ signed: [{}, { without: 1 }] }),
    'a tree of all currencies of which no entry is new': rootSigned({
      signed: [{ ofShop: true }, { ofShop: true }],
    }),
    'a tree of all currencies after one of a ledger': rootSigned({
      signed: [{}, { ofShop: true }],
    }),
  },
  'tree.time': {
    'a time that the checkpoint before has': rootSigned({ signed: [{}, {}], atOnce: true }),
    'a time long after the log recorded it': rootSigned({
      change: { signed_at: '2026-02-01T12:00:00.000Z' },
    }),
    'a time before its newest entry': rootSigned({
      change: { signed_at: '2026-01-31T12:00:00.000Z' },
    }),
    'a time from after an entry that it lacks': rootSigned({ signed: [{ without: 1 }] }),
  },
  'tree.signature': {
    'a wrong signature': rootSigned({ change: { signature: 'A'.repeat(86) } }),
    'a signing key that is in no event': rootSigned({ keys: [] }),
    'another time than the signed one': rootSigned({
      change: { signed_at: '2026-01-31T12:00:01.000Z' },
    }),
    'a signature from before the key was valid': rootSigned({
      change: { signed_at: '2026-01-31T11:00:00.000Z' },
    }),
    'a signature from after the key was retired': rootSigned({ retiredAfter: [-1] }),
  },
  'tree.key': {
    'a duplicate key id': rootSigned({ keys: [addedKey, addedKey] }),

    'a second key while the first signs': rootSigned({
      keys: [addedKey, { ...addedKey, key_id: 'other' }],
    }),
    'the end of an unknown key': rootSigned({ keys: [], retiredAfter: [60] }),
    'a key retired twice': rootSigned({ retiredAfter: [60, 120] }),
  },
} satisfies Corruptions;
