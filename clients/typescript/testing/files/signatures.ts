import {
  createLedger,
  keys,
  sampleMoves,
  signCheckpoint,
  timeAt,
  type Json,
} from '../statements.ts';
import {
  beginning,
  changed,
  empty,
  ending,
  euros,
  middle,
  ofOther,
  ofRub,
  shown,
  text,
  type Case,
} from './base.ts';

const flip = (hash: string): string => (hash.startsWith('A') ? 'B' : 'A') + hash.slice(1);
const signed = (change: (checkpoint: Json) => void) =>
  changed(middle, ({ checkpoint }) => change(checkpoint));
const resigned = (change: (checkpoint: Json) => void) =>
  changed(middle, (copy) => {
    change(copy.checkpoint);
    copy.checkpoint = signCheckpoint(copy.checkpoint);
  });
const notSigned = 'checkpoint: the signature does not hold';

const checkpoints: readonly Case[] = [
  [
    'another shop',
    'checkpoint: it is of shop-1/RUB, the statement of shop-2/RUB',
    { ...middle, shop_id: 'shop-2' },
  ],
  [
    'another shop, with the origin',
    notSigned,
    changed(middle, (copy) => {
      copy.shop_id = 'shop-2';
      copy.checkpoint.origin = 'shop-2/RUB';
    }),
  ],
  [
    'another shop’s checkpoint',
    'checkpoint: it is of shop-2/RUB, the statement of shop-1/RUB',
    { ...middle, checkpoint: ofOther.checkpoint },
  ],
  [
    'the checkpoint of another currency',
    'checkpoint: it is of shop-1/EUR, the statement of shop-1/RUB',
    { ...middle, checkpoint: euros.checkpoint },
  ],
  [
    'an origin without a currency',
    'checkpoint: it is of shop-1, the statement of shop-1/RUB',
    signed((checkpoint) => (checkpoint.origin = 'shop-1')),
  ],
  ['another size', notSigned, signed((checkpoint) => (checkpoint.tree_size = 34))],
  ['another root', notSigned, signed((checkpoint) => (checkpoint.root = flip(checkpoint.root)))],
  [
    'another signature',
    notSigned,
    signed((checkpoint) => (checkpoint.signature = flip(checkpoint.signature))),
  ],
  [
    'a signature of zeros',
    notSigned,
    signed((checkpoint) => (checkpoint.signature = 'A'.repeat(86))),
  ],
  [
    'a signature with a scalar that is too large',
    notSigned,
    signed((checkpoint) => {
      checkpoint.signature = Buffer.concat([
        Buffer.from(checkpoint.signature, 'base64url').subarray(0, 32),
        Buffer.alloc(32, 0xff),
      ]).toString('base64url');
    }),
  ],
  ['a later time', notSigned, signed((checkpoint) => (checkpoint.at = timeAt(33.001)))],
  [
    'the signed text of version 1',
    notSigned,
    changed(middle, (copy) => {
      const { origin, at } = copy.checkpoint;
      copy.checkpoint = { ...signCheckpoint({ ...copy.checkpoint, origin: 'shop-1' }), origin, at };
    }),
  ],
  [
    'an unknown key',
    'checkpoint: the key key-9 is unknown',
    signed((checkpoint) => (checkpoint.key_id = 'key-9')),
  ],
  [
    'a signed root of another tree',
    `before ${shown(9)}: its proof does not lead to the signed root`,
    resigned((checkpoint) => (checkpoint.root = flip(checkpoint.root))),
  ],
  [
    'a signed size of another tree',
    `before ${shown(9)}: its proof does not lead to the signed root`,
    resigned((checkpoint) => (checkpoint.tree_size = 65)),
  ],
  [
    'a signed size of no entries',
    'checkpoint: the root of an empty tree is another one',
    resigned((checkpoint) => (checkpoint.tree_size = 0)),
  ],
  [
    'an empty tree with entries',
    `before ${shown(9)}: its proof does not lead to the signed root`,
    { ...middle, checkpoint: empty.checkpoint },
  ],
  [
    'a signed time before the newest entry',
    `entry 20 ${shown(29)}: it is at ${timeAt(29)}, after the checkpoint`,
    resigned((checkpoint) => (checkpoint.at = timeAt(28))),
  ],
  [
    'a signed time before the end of the period',
    `after is null, and the checkpoint is at ${timeAt(33)}, before the end`,
    ofRub({ from: 10, to: 33.5, size: 33, at: 33 }),
  ],
];

const flipped = (proof: string[], place: number) => proof.with(place, flip(proof[place] ?? ''));
const grown = (consistency: Json, statement = middle) => ({ ...statement, consistency });
const { proof } = middle.consistency;
const ofPower = ofRub({ from: 10, to: 30, size: 33, fromSize: 16 });
const noRoot = 'consistency: the proof does not lead to the signed root';

const consistencies: readonly Case[] = [
  ['a changed hash of consistency', noRoot, grown({ from_size: 12, proof: flipped(proof, 1) })],
  [
    'the first hash of consistency changed',
    noRoot,
    grown({ from_size: 12, proof: flipped(proof, 0) }),
  ],
  [
    'a changed hash of consistency with a power of 2',
    noRoot,
    grown({ from_size: 16, proof: flipped(ofPower.consistency.proof, 0) }),
  ],
  [
    'consistency without its last hash',
    noRoot,
    grown({ from_size: 12, proof: proof.slice(0, -1) }),
  ],
  ['consistency with one more hash', noRoot, grown({ from_size: 12, proof: [...proof, proof[0]] })],
  ['consistency without hashes', noRoot, grown({ from_size: 12, proof: [] })],
  ['consistency without hashes, with a power of 2', noRoot, grown({ from_size: 16, proof: [] })],
  ['consistency from another size', noRoot, grown({ from_size: 13, proof })],
  [
    'consistency from more than the tree',
    'consistency: from_size is 34, the tree has 33 entries',
    grown({ from_size: 34, proof }),
  ],
  [
    'consistency from fewer than are before the period',
    'consistency: from_size is 9, 10 entries are before the period',
    ofRub({ from: 10, to: 30, size: 33, fromSize: 9 }),
  ],
  [
    'consistency from nothing, with entries before the period',
    'consistency: from_size is 0, 10 entries are before the period',
    grown({ from_size: 0, proof: [] }),
  ],
  [
    'consistency from nothing, with hashes',
    'consistency: the proof is not of these sizes',
    grown({ from_size: 0, proof }, beginning),
  ],
  [
    'consistency from the same size, with hashes',
    'consistency: the proof is not of these sizes',
    grown({ from_size: 33, proof }),
  ],
];

const rewritten = createLedger(
  'shop-1',
  'RUB',
  sampleMoves(12).map((move, index) =>
    index === 11 ? { ...move, instead: { entry_id: 'rewritten' } } : move,
  ),
);
const after = (previous: Json) => ({
  previous: typeof previous === 'string' ? previous : text(previous),
});

const previousStatements: readonly Case[] = [
  [
    'a previous statement of another shop',
    'previous: it is of shop-2/RUB, not of shop-1/RUB',
    middle,
    after(createLedger('shop-2', 'RUB', sampleMoves(12))({ from: 0, to: 10 })),
  ],
  [
    'a previous statement in another currency',
    'previous: it is of shop-1/EUR, not of shop-1/RUB',
    middle,
    after(euros),
  ],
  [
    'a previous statement that ends too early',
    `previous: it ends at ${timeAt(9)}, the statement begins at ${timeAt(10)}: take periods that adjoin, with days of one time zone`,
    middle,
    after(ofRub({ from: 0, to: 9, size: 12 })),
  ],
  [
    'a previous statement that ends too late',
    `previous: it ends at ${timeAt(11)}, the statement begins at ${timeAt(10)}: take periods that adjoin, with days of one time zone`,
    middle,
    after(ofRub({ from: 0, to: 11, size: 12 })),
  ],
  [
    'the statement itself as the previous one',
    `previous: it ends at ${timeAt(30)}, the statement begins at ${timeAt(10)}: take periods that adjoin, with days of one time zone`,
    middle,
    after(middle),
  ],
  [
    'a previous statement of another size',
    'consistency: the proof is from 12 entries, the previous tree has 11',
    middle,
    after(ofRub({ from: 0, to: 10, size: 11 })),
  ],
  [
    'a previous statement, and no proof from it',
    'consistency: the proof is from 10 entries, the previous tree has 12',
    ofRub({ from: 10, to: 30, size: 33 }),
    after(beginning),
  ],
  [
    'a previous statement of another history',
    'consistency: the tree does not begin with the one of the previous statement',
    middle,
    after(rewritten({ from: 0, to: 10 })),
  ],
  [
    'a previous statement of another history, of the same size',
    'consistency: the tree does not begin with the one of the previous statement',
    ofRub({ from: 10, to: 30, size: 33, fromSize: 33 }),
    after(
      createLedger('shop-1', 'RUB', [
        ...sampleMoves(32),
        { kind: 'credit', amount: 1, reserved: 0 },
      ])({ from: 0, to: 10 }),
    ),
  ],
  [
    'a previous statement whose checkpoint is later',
    `previous: its checkpoint is at ${timeAt(50)}, after ${timeAt(33)}`,
    middle,
    after(ofRub({ from: 0, to: 10, size: 12, at: 50 })),
  ],
  [
    'a previous statement without its last entries',
    `previous: after ${shown(10)}: its index is 10, not 8`,
    middle,
    after(
      changed(beginning, (copy) => {
        copy.entries.splice(-2);
        copy.closing = copy.entries.at(-1).balance;
      }),
    ),
  ],
  [
    'a previous statement with a changed entry',
    `previous: entry 3 ${shown(2)}: its content is not what its leaf is made of`,
    middle,
    after(changed(beginning, ({ entries }) => (entries[2].at = timeAt(2.5)))),
  ],
  [
    'a previous statement that is no JSON',
    'previous: the file is no object (byte 0)',
    middle,
    after('x'),
  ],
  [
    'a previous statement that is its checkpoint',
    'previous: origin is no member (byte 9)',
    middle,
    after(beginning.checkpoint),
  ],
];

const [ended, current] = keys.keys;
const withKeys = (...listed: Json[]) => ({ keys: text({ keys: listed }) });
const withKey = (change: Json) => withKeys(ended, { ...current, ...change });
const withPoint = (hex: string) => withKey({ x: Buffer.from(hex, 'hex').toString('base64url') });
const weak = 'checkpoint: the key key-7 is of no use: anybody can sign with it';

const keyFiles: readonly Case[] = [
  ['no keys', 'checkpoint: the key key-7 is unknown', middle, withKeys()],
  ['only another key', 'checkpoint: the key key-7 is unknown', middle, withKeys(ended)],
  ['the key of another id', notSigned, middle, withKey({ x: ended.x })],
  [
    'a key that ended before',
    `checkpoint: the key key-7 was not valid at ${timeAt(33)}`,
    middle,
    withKey({ valid_until: timeAt(32.999) }),
  ],
  [
    'a key that began afterwards',
    `checkpoint: the key key-7 was not valid at ${timeAt(33)}`,
    middle,
    withKey({ valid_from: timeAt(33.001) }),
  ],
  [
    'a key id twice',
    'keys: key 3: key-7 is there twice',
    middle,
    withKeys(ended, current, { ...current, x: ended.x }),
  ],
  [
    'a key of another curve',
    'keys: key 2: crv is not "Ed25519"',
    middle,
    withKey({ crv: 'X25519' }),
  ],
  ['a key of another type', 'keys: key 2: kty is not "OKP"', middle, withKey({ kty: 'EC' })],
  [
    'a key of 31 bytes',
    'keys: key 2: x is not 32 bytes in base64url',
    middle,
    withKey({ x: 'A'.repeat(42) }),
  ],
  ['a key with a secret', 'keys: key 2: d is no member', middle, withKey({ d: 'A'.repeat(43) })],
  [
    'a key without its end',
    'keys: key 2: valid_until is missing',
    middle,
    withKey({ valid_until: undefined }),
  ],
  [
    'a key with a time of seconds',
    'keys: key 2: valid_from is not a time in UTC with milliseconds',
    middle,
    withKey({ valid_from: '2026-01-01T00:00:00Z' }),
  ],
  ['the neutral point as a key', weak, middle, withPoint(`01${'00'.repeat(31)}`)],
  ['the neutral point with a sign as a key', weak, middle, withPoint(`01${'00'.repeat(30)}80`)],
  ['a key of order 2', weak, middle, withPoint(`ec${'ff'.repeat(30)}7f`)],
  ['a key of order 4', weak, middle, withPoint('00'.repeat(32))],
  [
    'a key of order 8',
    weak,
    middle,
    withPoint('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
  ],
  [
    'another key of order 8',
    weak,
    middle,
    withPoint('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'),
  ],
  ['a key that is not reduced', weak, middle, withPoint('ff'.repeat(32))],
  ['a key that is no point', notSigned, middle, withPoint(`02${'00'.repeat(31)}`)],
  [
    'the list without its object',
    'keys: the file is no object (byte 0)',
    middle,
    { keys: text(keys.keys) },
  ],
  ['an empty file of keys', 'keys: the file is no object (byte 0)', middle, { keys: '' }],
  [
    'keys with another member',
    'keys: next is no member',
    middle,
    { keys: text({ ...keys, next: null }) },
  ],
  ['the statement as keys', 'keys: version is no member', middle, { keys: text(ending) }],
];

export const wrongSignatures: readonly Case[] = [
  ...checkpoints,
  ...consistencies,
  ...previousStatements,
  ...keyFiles,
];
