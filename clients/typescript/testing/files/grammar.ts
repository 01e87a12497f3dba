import type { Json } from '../statements.ts';
import { changed, middle, text, type Case } from './base.ts';

const good = text(middle);

/** The text with one part replaced, which must be there; the first one. */
function replaced(part: string, by: string): string {
  if (!good.includes(part)) throw new Error(`${part} is not there`);
  return good.replace(part, () => by);
}
const bytes = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');
const opening = `"opening":"${middle.opening}"`;
const fifth = (change: (entry: Json) => void) =>
  changed(middle, ({ entries }) => change(entries[4]));
const [order = ''] = /"merchant_operation_id":"[^"\\]*/.exec(good) ?? [];
/** The first order’s id with other bytes at its end. */
const withOrder = (ending: string) =>
  Buffer.concat([
    Buffer.from(good.slice(0, good.indexOf(order) + order.length)),
    bytes(ending),
    Buffer.from(good.slice(good.indexOf(order) + order.length)),
  ]);

const { version: _version, before: _before, after: _after, ...versionOne } = middle;

const files: readonly Case[] = [
  ['an empty file', 'the file is no object (byte 0)', ''],
  ['white space', 'the file is no object (byte 3)', ' \n\t'],
  ['a file that breaks off', 'the file does not end', good.slice(0, -1)],
  [
    'a file that breaks off in an entry',
    'entry 3: at is not a time in UTC with milliseconds',
    good.slice(0, good.indexOf('"at":', good.indexOf(middle.entries[2].entry_id)) + 20),
  ],
  ['a byte order mark', 'the file is no object (byte 0)', `\ufeff${good}`],
  ['UTF-16', 'the file is no object (byte 0)', Buffer.from(`\ufeff${good}`, 'utf16le')],
  ['zeros', 'the file is no object (byte 0)', Buffer.alloc(100)],
  ['a zero at the end', 'the file goes on after its end', `${good}\0`],
  ['two statements', 'the file goes on after its end', `${good}\n${good}`],
  ['a comma at the end', 'the file goes on after its end', `${good},`],
  ['a list', 'the file is no object (byte 0)', `[${good}]`],
  ['null', 'the file is no object (byte 0)', 'null'],
  ['true', 'the file is no object (byte 0)', 'true'],
  ['a text', 'the file is no object (byte 0)', text(good)],
  ['an empty object', 'version is missing', '{}'],
  [
    'an error of the gateway',
    'type is no member',
    '{"type":"about:blank","status":503,"code":"not_ready"}',
  ],
  ['a statement of the first version', 'version is missing', versionOne],
  ['nesting of 100,000 lists', 'the file is no object (byte 0)', '['.repeat(100_000)],
  ['nesting of 100,000 objects', 'a is no member', '{"a":'.repeat(100_000)],
  [
    'nesting of 100,000 lists as entries',
    'entry 1 is no object',
    replaced('"entries":[', `"entries":${'['.repeat(100_000)}`),
  ],
  [
    'nesting of 65 levels',
    'merchant is no member',
    replaced('"version"', `"merchant":${'['.repeat(65)}${']'.repeat(65)},"version"`),
  ],
  ['a comment', 'the name of a member is not a text', replaced('{', '{/* */')],
  ['single quotes', 'the name of a member is not a text', replaced('"version"', "'version'")],
  ['a name without quotes', 'the name of a member is not a text', replaced('"version"', 'version')],
  ['a comma too many', 'the name of a member is not a text', `${good.slice(0, -1)},}`],
  ['a comma too many in a list', 'entry 21 is no object', replaced('],"after"', ',],"after"')],
  ['a comma missing', 'the file does not end', replaced(',"shop_id"', ' "shop_id"')],
  ['a colon missing', 'version has no value', replaced('"version":', '"version" ')],
  ['a form feed as white space', 'the name of a member is not a text', replaced('{', '{\f')],
  [
    'a no-break space as white space',
    'the name of a member is not a text',
    replaced('{', '{\u00a0'),
  ],
];

const members: readonly Case[] = [
  ['a member twice', 'opening is there twice', replaced(opening, `${opening},${opening}`)],
  [
    'another value first',
    'opening is there twice',
    replaced(opening, `"opening":"0.00",${opening}`),
  ],
  [
    'a member twice in an entry',
    'before: amount is there twice',
    replaced('"amount":"0.00",', '"amount":"0.00","amount":"0.00",'),
  ],
  [
    'a member twice in a proof',
    'before: proof: index is there twice',
    replaced('"index":9', '"index":9,"index":9'),
  ],
  [
    'a member twice in the checkpoint',
    'checkpoint: at is there twice',
    replaced('"key_id"', '"at":"2026-01-31T12:00:33.000Z","key_id"'),
  ],
  [
    'a member twice, once with an escape',
    'open\\u0069ng is no member',
    replaced(opening, `${opening},"open\\u0069ng":"0.00"`),
  ],
  ['an unknown member', 'note is no member', { ...middle, note: 'verified' }],
  [
    'an unknown member in an entry',
    'entry 5: note is no member',
    fifth((entry) => (entry.note = null)),
  ],
  [
    'an unknown member in a proof',
    'entry 5: proof: size is no member',
    fifth(({ proof }) => (proof.size = 33)),
  ],
  [
    'an unknown member in the checkpoint',
    'checkpoint: note is no member',
    changed(middle, ({ checkpoint }) => (checkpoint.note = 1)),
  ],
  [
    'an unknown member in consistency',
    'consistency: to_size is no member',
    changed(middle, ({ consistency }) => (consistency.to_size = 33)),
  ],
  [
    'a member named __proto__',
    '__proto__ is no member',
    replaced('{', '{"__proto__":{"version":2},'),
  ],
  ['a member named constructor', 'constructor is no member', replaced('{', '{"constructor":null,')],
  ['a member without a name', ' is no member', replaced('{', '{"":null,')],
  ['a member with a capital letter', 'Opening is no member', replaced('"opening"', '"Opening"')],
  ['a member with a line break', 'a\\nb is no member', replaced('{', '{"a\\nb":null,')],
  ...Object.keys(middle).map((name): Case => [
    `no ${name}`,
    `${name} is missing`,
    { ...middle, [name]: undefined },
  ]),
  ...Object.keys(middle.entries[4]).map((name): Case => [
    `no ${name} in an entry`,
    `entry 5: ${name} is missing`,
    fifth((entry) => delete entry[name]),
  ]),
  ...Object.keys(middle.checkpoint).map((name): Case => [
    `no ${name} in the checkpoint`,
    `checkpoint: ${name} is missing`,
    changed(middle, ({ checkpoint }) => delete checkpoint[name]),
  ]),
  ['no index', 'entry 5: proof: index is missing', fifth(({ proof }) => delete proof.index)],
  ['no hashes', 'entry 5: proof: hashes is missing', fifth(({ proof }) => delete proof.hashes)],
  [
    'no proof of consistency',
    'consistency: proof is missing',
    changed(middle, ({ consistency }) => delete consistency.proof),
  ],
  ['entries are null', 'entries is no list', { ...middle, entries: null }],
  ['entries are an object', 'entries is no list', { ...middle, entries: {} }],
  [
    'an entry is null',
    'entry 5 is no object',
    changed(middle, ({ entries }) => (entries[4] = null)),
  ],
  ['before is a list', 'before is no object', { ...middle, before: [] }],
  ['after is left empty', 'after is no object', { ...middle, after: '' }],
  ['the checkpoint is null', 'checkpoint is no object', { ...middle, checkpoint: null }],
  ['amount is null', 'entry 5: amount is not a decimal', fifth((entry) => (entry.amount = null))],
  ['an id is null', 'entry 5: entry_id is not a text', fifth((entry) => (entry.entry_id = null))],
  [
    'an id is a number',
    'entry 5: operation_id is not a text',
    fifth((entry) => (entry.operation_id = 5)),
  ],
  [
    'an order is true',
    'entry 5: merchant_operation_id is not a text',
    fifth((entry) => (entry.merchant_operation_id = true)),
  ],
];

const numbers = (...written: string[]): Case[] =>
  written.map((each) => [
    `the size ${each}`,
    'checkpoint: tree_size is ',
    replaced('"tree_size":33', `"tree_size":${each}`),
  ]);
const versions = (...written: string[]): Case[] =>
  written.map((each) => [
    `version ${each}`,
    'version is not 2',
    replaced('"version":2', `"version":${each}`),
  ]);
const decimals = (...written: string[]): Case[] =>
  written.map((each) => [
    `the amount ${each}`,
    'opening is not a decimal',
    replaced(opening, `"opening":${each}`),
  ]);
const times = (...written: string[]): Case[] =>
  written.map((each) => [
    `the time ${each}`,
    'from is not a time in UTC with milliseconds',
    { ...middle, from: each },
  ]);
const hashes = (...written: string[]): Case[] =>
  written.map((each) => [
    `the hash ${each}`,
    'checkpoint: root is not 32 bytes in base64url',
    changed(middle, ({ checkpoint }) => (checkpoint.root = each)),
  ]);
const names = (...written: string[]): Case[] =>
  written.map((each) => [
    `the shop ${each}`,
    'shop_id is not a name',
    { ...middle, shop_id: each },
  ]);

const { root } = middle.checkpoint;
const values: readonly Case[] = [
  ...numbers(
    '-0',
    '-1',
    '033',
    '33.0',
    '33.',
    '3.3e1',
    '33e0',
    '33E0',
    '+33',
    '0x21',
    '"33"',
    'null',
    '1e400',
    '9007199254740992',
    '9'.repeat(5_000),
    'NaN',
    'Infinity',
    '-Infinity',
    '٣٣',
    '[33]',
    'true',
  ),
  ...versions('1', '3', '"2"', '2.0', '2e0', '02', '20', 'null', '-2'),
  ...decimals(
    '97.50',
    '"97.50 "',
    '" 97.50"',
    '"+97.50"',
    '"097.50"',
    '"97."',
    '".50"',
    '"-0.00"',
    '"-0"',
    '"9.75e1"',
    '"97,50"',
    '"９７.50"',
    '"NaN"',
    '"Infinity"',
    '""',
    '"-"',
    '"--1.00"',
    '"1_000.00"',
    '"0x1"',
    '"9\\u0037.50"',
    `"${'9'.repeat(31)}.00"`,
    `"${'9'.repeat(10_000)}"`,
    `"1.${'0'.repeat(19)}"`,
    '"1.0.0"',
    '"97.50\\n"',
    'null',
    '[]',
  ),
  ...times(
    '2026-01-31T12:00:10Z',
    '2026-01-31T12:00:10.00Z',
    '2026-01-31T12:00:10.0000Z',
    '2026-01-31T12:00:10.000',
    '2026-01-31T12:00:10.000+00:00',
    '2026-01-31T12:00:10.000-00:00',
    '2026-01-31T15:00:10.000+03:00',
    '2026-01-31t12:00:10.000z',
    '2026-01-31 12:00:10.000Z',
    '2026-01-31T12:00:10,000Z',
    '2026-01-32T12:00:10.000Z',
    '2026-02-29T12:00:10.000Z',
    '2100-02-29T12:00:10.000Z',
    '2026-04-31T12:00:10.000Z',
    '2026-13-01T12:00:10.000Z',
    '2026-00-01T12:00:10.000Z',
    '2026-01-00T12:00:10.000Z',
    '2026-01-31T24:00:00.000Z',
    '2026-01-31T12:60:10.000Z',
    '2026-01-31T23:59:60.000Z',
    '+002026-01-31T12:00:10.000Z',
    '26-01-31T12:00:10.000Z',
    '2026-01-31T12:00:10.000Z\n',
    '２026-01-31T12:00:10.000Z',
    '1769860810000',
    '',
  ),
  ...hashes(
    `${root}=`,
    root.slice(0, -1),
    `${root}A`,
    `${root.slice(0, -1)}_`,
    `${root.slice(0, -1)}B`,
    root.replace(/^./, '+'),
    root.replace(/^./, '/'),
    root.replace(/^./, ' '),
    root.replace(/^./, 'А'),
    '',
  ),
  ...names(
    '',
    'shop/1',
    'shop 1',
    'shop-1\n',
    'shop-1/RUB\n33\nx',
    'магазин',
    'shop"1',
    'shop\\1',
    's'.repeat(201),
  ),
  [
    'a hash as a number',
    'entry 5: proof: hashes: hash 1 is not 32 bytes in base64url',
    fifth(({ proof }) => (proof.hashes[0] = 1)),
  ],
  [
    'hashes are null',
    'entry 5: proof: hashes is no list',
    fifth(({ proof }) => (proof.hashes = null)),
  ],
  [
    '65 hashes',
    'entry 5: proof: hashes has more than 64 hashes',
    fifth(({ proof }) => (proof.hashes = Array.from({ length: 65 }, () => root))),
  ],
  [
    'a signature of 63 bytes',
    'checkpoint: signature is not 64 bytes in base64url',
    changed(middle, ({ checkpoint }) => (checkpoint.signature = 'A'.repeat(84))),
  ],
  [
    'a signature with bits to spare',
    'checkpoint: signature is not 64 bytes in base64url',
    changed(
      middle,
      ({ checkpoint }) => (checkpoint.signature = checkpoint.signature.replace(/.$/, 'B')),
    ),
  ],
  [
    'a signature with padding',
    'checkpoint: signature is not 64 bytes in base64url',
    changed(middle, ({ checkpoint }) => (checkpoint.signature += '==')),
  ],
];

const notText = 'before: merchant_operation_id is not ';
const texts: readonly Case[] = [
  ['bytes that are no UTF-8', `${notText}Unicode`, withOrder('\u00ff')],
  ['a character that is cut', `${notText}Unicode`, withOrder('\u00d0')],
  ['an overlong character', `${notText}Unicode`, withOrder('\u00c0\u00af')],
  ['half of a surrogate pair in UTF-8', `${notText}Unicode`, withOrder('\u00ed\u00a0\u0080')],
  ['a character beyond Unicode', `${notText}Unicode`, withOrder('\u00f4\u0090\u0080\u0080')],
  ['half of a surrogate pair', `${notText}Unicode`, withOrder('\\ud83d')],
  ['the other half of a surrogate pair', `${notText}Unicode`, withOrder('\\ude42')],
  [
    'the halves of a surrogate pair in the other order',
    `${notText}Unicode`,
    withOrder('\\ude42\\ud83d'),
  ],
  ['a line break in a text', `${notText}a text`, withOrder('\n')],
  ['a zero in a text', `${notText}a text`, withOrder('\0')],
  ['an escape that JSON has not', `${notText}a text`, withOrder('\\x41')],
  ['an escaped single quote', `${notText}a text`, withOrder("\\'")],
  ['an escape of three digits', `${notText}a text`, withOrder('\\u041"')],
  [
    'an escape with digits that are not ASCII',
    `${notText}a text`,
    withOrder('\\u00\u00d9\u00a3\u00d9\u00a3'),
  ],
  ['a text of 65,537 bytes', `${notText}a text`, withOrder('x'.repeat(65_537))],
  ['a text of a million bytes', `${notText}a text`, withOrder('x'.repeat(1_000_000))],
  ['a text of a million escapes', `${notText}a text`, withOrder('\\n'.repeat(1_000_000))],
  [
    'a text of 60,000 bytes',
    'before (shop-1-RUB-9): its content is not what its leaf is made of',
    withOrder('x'.repeat(60_000)),
  ],
  [
    'a text that does not end',
    `${notText}a text`,
    good.slice(0, good.indexOf(order) + order.length),
  ],
  [
    'bytes that are no UTF-8 in a name',
    'opening?: is no member',
    Buffer.concat([bytes('{"opening\u00ff:":1')]),
  ],
  ['an escape in a name', '\\u0076ersion is no member', replaced('"version"', '"\\u0076ersion"')],
];

export const wrongGrammar: readonly Case[] = [...files, ...members, ...values, ...texts];
