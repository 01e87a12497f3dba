import { createLedger, sampleMoves, timeAt, type Json } from '../statements.ts';
import { changed, known, middle, ofOther, shown, whole, type Case } from './base.ts';

/** The statement with its fifth entry, index 14, changed. */
const fifth = (change: (entry: Json) => void) =>
  changed(middle, ({ entries }) => change(entries[4]));
const neighbour = (name: 'before' | 'after', change: (entry: Json) => void) =>
  changed(middle, (copy) => change(copy[name]));
const inEntries = (change: (entries: Json[]) => void) =>
  changed(middle, ({ entries }) => change(entries));

const flip = (hash: string): string => (hash.startsWith('A') ? 'B' : 'A') + hash.slice(1);
const entry5 = `entry 5 ${shown(14)}: `;
const notItsLeaf = 'its content is not what its leaf is made of';
const noRoot = 'its proof does not lead to the signed root';

const changedMembers: readonly Case[] = [
  ['another amount', entry5 + notItsLeaf, fifth((entry) => (entry.amount = '-0.32'))],
  ['an amount of the other sign', entry5 + notItsLeaf, fifth((entry) => (entry.amount = '0.33'))],
  ['another balance', entry5 + notItsLeaf, fifth((entry) => (entry.balance = '1.00'))],
  ['another reserved amount', entry5 + notItsLeaf, fifth((entry) => (entry.reserved = '1.00'))],
  ['another kind', entry5 + notItsLeaf, fifth((entry) => (entry.kind = 'adjustment'))],
  ['another time', entry5 + notItsLeaf, fifth((entry) => (entry.at = timeAt(14.001)))],
  ['another id', `entry 5 (x): ${notItsLeaf}`, fifth((entry) => (entry.entry_id = 'x'))],
  [
    'an id with a line break',
    `entry 5 (a\\nb): ${notItsLeaf}`,
    fifth((entry) => (entry.entry_id = 'a\nb')),
  ],
  [
    'an id that moves a cursor',
    `entry 5 (\\u001b[2J?): ${notItsLeaf}`,
    fifth((entry) => (entry.entry_id = '\u001b[2J\u007f')),
  ],
  ['another operation', entry5 + notItsLeaf, fifth((entry) => (entry.operation_id = 'x'))],
  ['another order', entry5 + notItsLeaf, fifth((entry) => (entry.merchant_operation_id = 'x'))],
  [
    'null instead of an order',
    entry5 + notItsLeaf,
    fifth((entry) => (entry.merchant_operation_id = null)),
  ],
  ['“null” instead of null', entry5 + notItsLeaf, fifth((entry) => (entry.operation_id = 'null'))],
  ['another leaf', entry5 + notItsLeaf, fifth((entry) => (entry.leaf = flip(entry.leaf)))],
  [
    'the next index',
    `${entry5}its index is 15, not 14`,
    fifth((entry) => (entry.proof.index = 15)),
  ],
  ['index 0', `${entry5}its index is 0, not 14`, fifth((entry) => (entry.proof.index = 0))],
  [
    'an index beyond the tree',
    `${entry5}its index is 99, not 14`,
    fifth((entry) => (entry.proof.index = 99)),
  ],
  [
    'a changed hash in a proof',
    entry5 + noRoot,
    fifth(({ proof }) => (proof.hashes[0] = flip(proof.hashes[0]))),
  ],
  [
    'a changed hash at the top of a proof',
    entry5 + noRoot,
    fifth(({ proof }) => proof.hashes.push(flip(proof.hashes.pop()))),
  ],
  ['a proof without its last hash', entry5 + noRoot, fifth(({ proof }) => proof.hashes.pop())],
  [
    'a proof with one more hash',
    entry5 + noRoot,
    fifth(({ proof }) => proof.hashes.push(proof.hashes[0])),
  ],
  ['a proof without hashes', entry5 + noRoot, fifth(({ proof }) => (proof.hashes = []))],
  [
    'a proof with two hashes swapped',
    entry5 + noRoot,
    fifth(({ proof }) => proof.hashes.splice(0, 2, ...proof.hashes.slice(0, 2).toReversed())),
  ],
  [
    'the proof of the next entry',
    `${entry5}its index is 15, not 14`,
    changed(middle, ({ entries }) => (entries[4].proof = entries[5].proof)),
  ],
];

const changedOrder: readonly Case[] = [
  [
    'an entry left out',
    `entry 5 ${shown(15)}: its index is 15, not 14`,
    inEntries((list) => list.splice(4, 1)),
  ],
  [
    'an entry without an amount left out',
    `entry 7 ${shown(17)}: its index is 17, not 16`,
    inEntries((list) => list.splice(6, 1)),
  ],
  [
    'an entry twice',
    `entry 6 ${shown(14)}: its index is 14, not 15`,
    inEntries((list) => list.splice(4, 0, list[4])),
  ],
  [
    'two entries in the other order',
    `entry 5 ${shown(15)}: its index is 15, not 14`,
    inEntries((list) => list.splice(4, 2, ...list.slice(4, 6).toReversed())),
  ],
  [
    'the entry before the period among the entries',
    `entry 1 ${shown(9)}: its index is 9, not 10`,
    changed(middle, (copy) => copy.entries.unshift(copy.before)),
  ],
  [
    'the entry after the period among the entries',
    `entry 21 ${shown(30)}: it is at ${timeAt(30)}, after the period`,
    changed(middle, (copy) => copy.entries.push(copy.after)),
  ],
  [
    'an entry of another shop',
    `entry 5 ${shown(14, 'shop-2-RUB')}: ${noRoot}`,
    inEntries((list) => list.splice(4, 1, ofOther.entries[4])),
  ],
  [
    'closing is another one',
    `closing is 1.00, the entries lead to ${middle.closing}`,
    { ...middle, closing: '1.00' },
  ],
  [
    'opening is another one',
    `before ${shown(9)}: its balance is ${middle.opening}, opening is 1.00`,
    { ...middle, opening: '1.00' },
  ],
  [
    'opening is null’s, and an entry is before',
    `before ${shown(9)}: its balance is ${middle.opening}, opening is 0.00`,
    { ...middle, opening: '0.00' },
  ],
  ['nothing before', `entry 1 ${shown(10)}: its index is 10, not 0`, { ...middle, before: null }],
  ['nothing after', 'after is null, and the entries end at 30 of 33', { ...middle, after: null }],
  [
    'an entry before that is not the last one',
    `entry 1 ${shown(10)}: its index is 10, not 9`,
    { ...middle, before: known.entries[8] },
  ],
  [
    'a changed entry before',
    `before ${shown(9)}: ${notItsLeaf}`,
    neighbour('before', (entry) => (entry.balance = '7.00')),
  ],
  [
    'a changed proof before',
    `before ${shown(9)}: ${noRoot}`,
    neighbour('before', ({ proof }) => proof.hashes.pop()),
  ],
  [
    'another index before',
    `before ${shown(9)}: ${noRoot}`,
    neighbour('before', ({ proof }) => (proof.index = 8)),
  ],
  [
    'an index before that is beyond the tree',
    `before ${shown(9)}: ${noRoot}`,
    neighbour('before', ({ proof }) => (proof.index = 33)),
  ],
  [
    'a changed entry after',
    `after ${shown(30)}: ${notItsLeaf}`,
    neighbour('after', (entry) => (entry.at = timeAt(30.001))),
  ],
  [
    'a changed proof after',
    `after ${shown(30)}: ${noRoot}`,
    neighbour('after', ({ proof }) => (proof.hashes[1] = flip(proof.hashes[1]))),
  ],
  [
    'the second entry after',
    `after ${shown(31)}: its index is 31, not 30`,
    { ...middle, after: known.entries[31] },
  ],
  [
    'before and after swapped',
    `before ${shown(30)}: it is at ${timeAt(30)}, not before the period`,
    { ...middle, before: middle.after, after: middle.before },
  ],
  [
    'the period ends before it begins',
    `from is ${timeAt(30)}, after to, ${timeAt(10)}`,
    { ...middle, from: middle.to, to: middle.from },
  ],
];

/** A statement of a ledger that the gateway itself wrote wrongly, hashed and signed. */
function wronglyWritten(instead: Record<string, unknown>, at = 20): Json {
  const moves = sampleMoves(20).map((move, index) => (index === 8 ? { ...move, instead } : move));
  return createLedger('shop-1', 'RUB', moves)({ from: 5, to: 15, begin: 5, end: 15, at });
}

const entry4 = `entry 4 ${shown(8)}: `;
const { balance: balanceBefore, reserved: reservedBefore } = whole.entries[7];
const { amount, balance } = whole.entries[8];

const wrongLedgers: readonly Case[] = [
  [
    'a balance that does not follow',
    `${entry4}${balanceBefore} and ${amount} are not 1.00`,
    wronglyWritten({ balance: '1.00' }),
  ],
  [
    'an amount that does not lead to the balance',
    `${entry4}${balanceBefore} and 1.00 are not ${balance}`,
    wronglyWritten({ amount: '1.00' }),
  ],
  [
    'a reserved amount that does not follow',
    `${entry4}a reserve does not change the reserved amount from ${reservedBefore} to 1.00`,
    wronglyWritten({ reserved: '1.00' }),
  ],
  [
    'a kind that does not reserve',
    `${entry4}a credit does not change the reserved amount from ${reservedBefore} to 51.00`,
    wronglyWritten({ kind: 'credit' }),
  ],
  [
    'a time before the entry before it',
    `${entry4}it is at ${timeAt(6.5)}, before ${timeAt(7)}`,
    wronglyWritten({ at: timeAt(6.5) }),
  ],
  [
    'a time before the period',
    `${entry4}it is at ${timeAt(2)}, before the period`,
    wronglyWritten({ at: timeAt(2) }),
  ],
  [
    'a time after the period',
    `${entry4}it is at ${timeAt(15)}, after the period`,
    wronglyWritten({ at: timeAt(15) }),
  ],
  [
    'one decimal place',
    `${entry4}its amounts have not the same number of decimal places`,
    wronglyWritten({ amount: '-51.0' }),
  ],
  [
    'three decimal places from one entry on',
    `${entry4}its amounts have not the same number of decimal places`,
    wronglyWritten({ amount: '-51.000', balance: `${balance}0`, reserved: '51.000' }),
  ],
  [
    'a tree that was signed before its newest entry',
    `after ${shown(15)}: it is at ${timeAt(15)}, after the checkpoint`,
    wronglyWritten({}, 14),
  ],
];

export const wrongEntries: readonly Case[] = [...changedMembers, ...changedOrder, ...wrongLedgers];
