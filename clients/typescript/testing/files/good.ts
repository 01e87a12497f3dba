import { createLedger, type Json } from '../statements.ts';
import {
  beginning,
  empty,
  ending,
  filesFrom,
  middle,
  ofRub,
  quiet,
  quietBegin,
  quietEnd,
  text,
  whole,
  type Case,
  type Files,
} from './base.ts';

const lineStart = (statement: Json): string =>
  `${statement.shop_id}: ${statement.currency} from ${statement.from} to ${statement.to}; ` +
  `opening ${statement.opening}, closing ${statement.closing}, ${statement.entries.length} entries; ` +
  `the checkpoint of ${statement.checkpoint.tree_size} is signed by key key-7 at ${statement.checkpoint.at}; `;

const reversed = (value: Json): Json =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, member]) => [name, reversed(member)]),
      );

const withEscapes = (value: Json): string =>
  text(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const currencyWithPlaces = (places: number): Json => {
  const written = (minor: number) =>
    places === 0 ? String(minor) : `${minor}.${'1'.repeat(places)}`;
  const zero = places === 0 ? '0' : `0.${'0'.repeat(places)}`;
  const instead = { amount: written(7), balance: written(7), reserved: zero };
  const ledger = createLedger('shop-1', 'XXX', [
    { kind: 'credit', amount: 0, reserved: 0, instead },
  ]);
  return { ...ledger({ from: 0, to: 5 }), opening: zero };
};

const ok = (name: string, statement: Json, file: Json = statement): Case => [
  name,
  lineStart(statement),
  file,
];

/** They hold. */
export const goodFiles: readonly Files[] = filesFrom([
  ok('entries on both sides of the period', middle),
  [
    'with the previous statement',
    `${lineStart(middle)}nothing before was changed`,
    middle,
    { previous: text(beginning) },
  ],
  ok('without the previous statement', beginning),
  ok('up to the end of the tree', ending),
  ok('the whole ledger', whole),
  ok('no entries within', quiet),
  ok('no entries before the first one', quietBegin),
  ok('no entries after the last one', quietEnd),
  ok('an empty ledger', empty),
  [
    'an empty ledger before the first entry',
    lineStart(whole),
    whole,
    { previous: text({ ...empty, to: whole.from }) },
  ],
  ok('a period without a duration', ofRub({ from: 10, to: 10, size: 20 })),
  ok(
    'an older tree whose size is a power of 2',
    ofRub({ from: 10, to: 30, size: 33, fromSize: 32 }),
  ),
  ok('an older tree of the same size', ofRub({ from: 10, to: 30, size: 33, fromSize: 33 })),
  ok('indented', middle, JSON.stringify(middle, null, '\t')),
  ok(
    'with white space of each kind',
    middle,
    ` \r\n\t${JSON.stringify(middle, null, 1).replaceAll('\n', '\r\n')}\n\n`,
  ),
  ok('members in the other order', middle, text(reversed(middle))),
  ok('letters as escapes', middle, withEscapes(middle)),
  ok('no decimal places', currencyWithPlaces(0)),
  ok('six decimal places', currencyWithPlaces(6)),
  ok('signed in the moment of its last entry', ofRub({ from: 0, to: 39, at: 39 })),
]);
