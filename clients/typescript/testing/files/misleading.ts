import { endedKey, signCheckpoint, timeAt } from '../statements.ts';
import { changed, empty, ending, middle, quiet, quietBegin, shown, type Case } from './base.ts';

/** Figures that a reader would see, and nothing proves. */
export const misleading: readonly Case[] = [
  [
    'roubles relabelled as dollars',
    'checkpoint: it is of shop-1/RUB, the statement of shop-1/USD',
    { ...middle, currency: 'USD' },
  ],
  [
    'roubles relabelled as dollars, with the origin',
    'checkpoint: the signature does not hold',
    changed(middle, (copy) => {
      copy.currency = 'USD';
      copy.checkpoint.origin = 'shop-1/USD';
    }),
  ],
  [
    'no entries, and an invented opening',
    'opening is 999999.00, and before is null',
    { ...quietBegin, opening: '999999.00', closing: '999999.00' },
  ],
  [
    'no entries, and another opening than that of the entry before',
    `before ${shown(10)}: its balance is ${quiet.opening}, opening is 5.00`,
    { ...quiet, opening: '5.00', closing: '5.00' },
  ],
  [
    'no entries, and nothing before',
    'opening is 5.00, and before is null',
    { ...quiet, before: null, opening: '5.00', closing: '5.00' },
  ],
  [
    'no entries, nothing before, and opening at zero',
    `after ${shown(11)}: its index is 11, not 0`,
    { ...quiet, before: null, opening: '0.00', closing: '0.00' },
  ],
  [
    'an empty ledger with an invented opening',
    'opening is 5.00, and before is null',
    { ...empty, opening: '5.00', closing: '5.00' },
  ],
  [
    'the first ten entries are cut',
    `entry 1 ${shown(20)}: its index is 20, not 10`,
    changed(middle, (copy) => {
      copy.entries.splice(0, 10);
    }),
  ],
  [
    'the first ten entries are cut, and opening follows',
    `before ${shown(9)}: its balance is ${middle.opening}, opening is ${middle.entries[9].balance}`,
    changed(middle, (copy) => {
      copy.entries.splice(0, 10);
      copy.opening = middle.entries[9].balance;
    }),
  ],
  [
    'the first ten entries are cut, and nothing is before',
    `entry 1 ${shown(20)}: its index is 20, not 0`,
    changed(middle, (copy) => {
      copy.entries.splice(0, 10);
      copy.before = null;
      copy.opening = middle.entries[9].balance;
    }),
  ],
  [
    'the first ten entries are cut, with another one before',
    `before ${shown(19)}: it is at ${timeAt(19)}, not before the period`,
    changed(middle, (copy) => {
      [copy.before] = copy.entries.splice(0, 10).slice(-1);
      copy.opening = copy.before.balance;
    }),
  ],
  [
    'the last ten entries are cut',
    `after ${shown(30)}: its index is 30, not 20`,
    changed(middle, (copy) => {
      copy.entries.splice(-10);
      copy.closing = middle.entries[9].balance;
    }),
  ],
  [
    'the last ten entries are cut, with another one after',
    `after ${shown(20)}: it is at ${timeAt(20)}, in the period`,
    changed(middle, (copy) => {
      [copy.after] = copy.entries.splice(-10);
      copy.closing = middle.entries[9].balance;
    }),
  ],
  [
    'the last ten entries are cut at the end of the tree',
    'after is null, and the entries end at 23 of 33',
    changed(ending, (copy) => {
      copy.entries.splice(-10);
      copy.closing = copy.entries.at(-1).balance;
    }),
  ],
  [
    'all entries are left out',
    `after ${shown(30)}: its index is 30, not 10`,
    { ...middle, entries: [], closing: middle.opening },
  ],
  [
    'a period that was widened at its beginning',
    `before ${shown(9)}: it is at ${timeAt(9)}, not before the period`,
    { ...middle, from: timeAt(5) },
  ],
  [
    'a period that was widened to the time of the entry before',
    `before ${shown(9)}: it is at ${timeAt(9)}, not before the period`,
    { ...middle, from: timeAt(9) },
  ],
  [
    'a period that was widened at its end',
    `after ${shown(30)}: it is at ${timeAt(30)}, in the period`,
    { ...middle, to: timeAt(30.5) },
  ],
  [
    'a period that was widened beyond the checkpoint',
    `after is null, and the checkpoint is at ${timeAt(33)}, before the end`,
    { ...ending, to: timeAt(34) },
  ],
  [
    'a period that was narrowed at its beginning',
    `entry 1 ${shown(10)}: it is at ${timeAt(10)}, before the period`,
    { ...middle, from: timeAt(10.5) },
  ],
  [
    'a period that was narrowed at its end',
    `entry 20 ${shown(29)}: it is at ${timeAt(29)}, after the period`,
    { ...middle, to: timeAt(29) },
  ],
  [
    'a checkpoint that was backdated',
    'checkpoint: the signature does not hold',
    changed(middle, (copy) => {
      copy.checkpoint.at = timeAt(32);
    }),
  ],
  [
    'a checkpoint that was backdated to when an ended key was valid',
    'checkpoint: the signature does not hold',
    changed(middle, (copy) => {
      copy.checkpoint = {
        ...signCheckpoint(copy.checkpoint, endedKey),
        at: '2025-12-01T00:00:00.000Z',
      };
    }),
  ],
  [
    'a checkpoint that an ended key signs',
    `checkpoint: the key key-8 was not valid at ${timeAt(33)}`,
    changed(middle, (copy) => {
      copy.checkpoint = signCheckpoint(copy.checkpoint, endedKey);
    }),
  ],
  [
    'a checkpoint that an ended key signs for a time when it was valid',
    `before ${shown(9)}: it is at ${timeAt(9)}, after the checkpoint`,
    changed(middle, (copy) => {
      copy.checkpoint = signCheckpoint(
        { ...copy.checkpoint, at: '2025-12-01T00:00:00.000Z' },
        endedKey,
      );
    }),
  ],
];
