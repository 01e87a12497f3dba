import { createRandom, type Random } from '#infra/verify/harness/tests/random.ts';
import type { Files } from './files/index.ts';
import {
  createLedger,
  endedKey,
  keys,
  sampleMoves,
  signCheckpoint,
  signingKey,
  timeAt,
  type Json,
} from './statements.ts';

/** Files of a good statement that were changed; `rewritten`: before it was hashed and signed. */
export type Mutated = Omit<Files, 'name' | 'line'> & { rewritten: boolean };

type Part = 'statement' | 'previous' | 'keys';
type Parts = Record<Part, Json>;

const moves = sampleMoves(13);
const wanted = {
  statement: { from: 4, to: 9, size: 11, fromSize: 6 },
  previous: { from: 0, to: 4, size: 6 },
};
const partsFrom = (ledger: ReturnType<typeof createLedger>): Parts => ({
  statement: ledger(wanted.statement),
  previous: ledger(wanted.previous),
  keys,
});
/** What the mutated files were made from. */
export const unchanged: Parts = partsFrom(createLedger('shop-1', 'RUB', moves));
const other: Parts = partsFrom(createLedger('shop-2', 'EUR', sampleMoves(20).slice(2)));

/**
 * Files changed in 1 to 3 places: bytes, or values of any kind, some before the entries are hashed
 * and the checkpoint is signed, so that they are found out by nothing but their meaning.
 */
export function* mutatedFiles({
  seed,
  count,
}: {
  seed: number;
  count: number;
}): Generator<Mutated> {
  const random = createRandom(seed);
  for (let made = 0; made < count; made += 1) yield mutate(random);
}

function mutate(random: Random): Mutated {
  const rewritten = random.chance(0.25);
  const parts = rewritten ? rewrite(random) : structuredClone(unchanged);
  const times = rewritten ? random.below(2) : 1 + random.below(3);
  const texts: Partial<Record<Part, Uint8Array>> = {};
  const part = random.pick<Part>(['statement', 'statement', 'statement', 'previous', 'keys']);
  const changesBytes = random.chance(0.4);
  if (!changesBytes) for (let time = 0; time < times; time += 1) changeValue(random, parts, part);
  for (const name of ['statement', 'previous', 'keys'] as const)
    texts[name] = Buffer.from(write(random, parts[name]));
  if (changesBytes)
    for (let time = 0; time < times; time += 1)
      texts[part] = changeBytes(random, texts[part] ?? Buffer.of());
  const { statement = '', previous = '', keys: ofKeys = '' } = texts;
  const withPrevious = part === 'previous' || random.chance(0.5);
  return { statement, keys: ofKeys, rewritten, ...(withPrevious && { previous }) };
}

/** A ledger that the gateway wrote otherwise, or a checkpoint that says something else. */
function rewrite(random: Random): Parts {
  if (random.chance(0.5)) {
    const at = random.below(moves.length);
    const name = random.pick([
      'amount',
      'balance',
      'reserved',
      'kind',
      'at',
      'operation_id',
      'entry_id',
    ]);
    const value = random.chance(0.5)
      ? random.pick(['0.00', '-51.00', '1.0', '1', timeAt(at + 0.5), timeAt(at - 1.5), 'reserve'])
      : random.pick(strange);
    const changed = moves.map((move, index) =>
      index === at ? { ...move, instead: { [name]: value } } : move,
    );
    const periods = { statement: { begin: 4, end: 9 }, previous: { begin: 0, end: 4 } };
    const ledger = createLedger('shop-1', 'RUB', changed);
    return {
      statement: ledger({ ...wanted.statement, ...periods.statement }),
      previous: ledger({ ...wanted.previous, ...periods.previous }),
      keys: structuredClone(keys),
    };
  }
  const parts = structuredClone(unchanged);
  const { checkpoint } = parts[random.pick<Part>(['statement', 'previous'])];
  checkpoint.at = timeAt(random.below(30) / 2);
  if (random.chance(0.3)) checkpoint.tree_size = random.below(20);
  const signer = random.chance(0.3) ? endedKey : signingKey;
  Object.assign(checkpoint, signCheckpoint(checkpoint, signer));
  return parts;
}

// Values of another type or form than the schema has.
const strange: readonly [Json, ...Json[]] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  2,
  9,
  10,
  1.5,
  1e21,
  2 ** 53,
  '',
  ' ',
  '0',
  '0.00',
  '-0.00',
  '0.0',
  '00.00',
  '97.50',
  '97.5',
  '9.75e1',
  'NaN',
  'null',
  'shop-1',
  'shop-1/RUB',
  'RUB',
  'a/b',
  'key-7',
  'key-8',
  '\n',
  '\0',
  '"',
  '\\',
  '🙂',
  '\ud83d',
  'é',
  '__proto__',
  [],
  {},
  [[]],
  { index: 0, hashes: [] },
  timeAt(3),
  timeAt(4),
  timeAt(8),
  timeAt(8.5),
  timeAt(9),
  timeAt(9.5),
  timeAt(11),
  timeAt(12),
  '2026-01-31T12:00:04Z',
  '2026-02-29T12:00:04.000Z',
  '2026-01-31T24:00:00.000Z',
  'A'.repeat(43),
  `${'A'.repeat(42)}B`,
  'A'.repeat(86),
];

/** Each object and list in a value, from the outermost on. */
const containersIn = (value: Json): Json[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(containersIn)]
    : [];

const somewhere = (random: Random, value: Json): { container: Json; name: string } => {
  const containers = containersIn(value).filter((each) => Object.keys(each).length > 0);
  const container = containers[random.below(containers.length)] ?? value;
  const names = Object.keys(container);
  return { container, name: names[random.below(names.length)] ?? 'x' };
};

function changeValue(random: Random, parts: Parts, part: Part): void {
  const { container, name } = somewhere(random, parts[part]);
  const value = container[name];
  const from = somewhere(
    random,
    random.pick<Parts>([parts, other])[random.pick<Part>(['statement', part])],
  );
  const changes: [() => void, ...(() => void)[]] = [
    () => (container[name] = random.pick(strange)),
    () =>
      (container[name] =
        typeof value === 'string' ? changeText(random, value) : random.pick(strange)),
    () =>
      (container[name] =
        typeof value === 'number' ? value + random.pick([1, -1, 7]) : random.pick(strange)),
    () => (container[name] = structuredClone(from.container[from.name])),
    () =>
      (container[name] = structuredClone(
        Object.hasOwn(from.container, name) ? from.container[name] : null,
      )),
    () => remove(container, name),
    () => insert(random, container, value),
    () => swap(random, container, name),
  ];
  random.pick(changes)();
}

function remove(container: Json, name: string): void {
  if (Array.isArray(container)) container.splice(Number(name), 1);
  else delete container[name];
}

function insert(random: Random, container: Json, value: Json): void {
  if (Array.isArray(container)) container.splice(random.below(container.length + 1), 0, value);
  else container[random.pick(['note', 'constructor', 'leaf', 'at', ''])] = value;
}

function swap(random: Random, container: Json, name: string): void {
  const names = Object.keys(container);
  const second = names[random.below(names.length)] ?? name;
  [container[name], container[second]] = [container[second], container[name]];
}

function changeText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const put = random.pick([
    '0',
    '1',
    '9',
    '-',
    '.',
    'A',
    'Z',
    ' ',
    '\n',
    'é',
    '/',
    '+',
    '=',
    '\ud83d',
    '',
  ]);
  return text.slice(0, at) + put + text.slice(at + random.below(2));
}

/** As JSON in one of several ways that mean the same. */
function write(random: Random, value: Json): string {
  const text = JSON.stringify(value, null, random.chance(0.1) ? 1 : 0);
  if (!random.chance(0.1)) return text;
  return text.replaceAll(
    /[^ -~\n]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const pieces: readonly [string, ...string[]] = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ' ',
  '\n',
  '\t',
  '\0',
  '\u007f',
  '\u00ff',
  '\u00ef\u00bb\u00bf',
  '\u00c0\u0080',
  '0',
  '-',
  '.',
  'e1',
  'null',
  'true',
  'NaN',
  '{}',
  '[]',
  '""',
  '"a":1,',
  '"at":null,',
  '\\u0041',
  '\\ud83d',
  '//',
  '[[[[',
  '\u00a0',
];

function changeBytes(random: Random, bytes: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1);
  const piece = Buffer.from(random.pick(pieces), 'latin1');
  const end = at + random.below(random.pick([2, 8, 80, 800]));
  const cut = (begin: number, from: number, put: Uint8Array = Buffer.of()) =>
    Buffer.concat([bytes.subarray(0, begin), put, bytes.subarray(from)]);
  const changes: [() => Uint8Array, ...(() => Uint8Array)[]] = [
    () => cut(at, at + 1, Buffer.of((bytes[at] ?? 0) ^ (1 << random.below(8)))),
    () => cut(at, at, piece),
    () => cut(at, at + piece.length, piece),
    () => cut(at, end),
    () => cut(at, at, bytes.subarray(at, end)),
    () => cut(at, bytes.length),
    () => cut(at, at, bytes.subarray(random.below(bytes.length)).subarray(0, end - at)),
  ];
  return random.pick(changes)();
}
