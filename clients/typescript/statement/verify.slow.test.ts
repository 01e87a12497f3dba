import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/for-file.ts';
import { keys, sampleMoves, statementsOf } from '../testing/statements.ts';
import { NotProved, verifyStatements } from './verify.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
type Case = { statements: Json[]; previous?: Json; keys: Json };

const root = fileURLToPath(new URL('../../..', import.meta.url));
const hasPython = spawnSync('python3', ['-V']).error === undefined;
const folder = folderForFile();

const verdictOf = (input: Case): string => {
  try {
    return verifyStatements(input);
  } catch (error) {
    if (error instanceof NotProved) return `not proved: ${error.message}`;
    throw error;
  }
};

const python = `import json, sys
sys.path.insert(0, "clients/python")
from verify_statement import NotProved, is_signed, verify_statements
for case in json.load(sys.stdin):
    if "signature" in case:
        print(is_signed(*(bytes.fromhex(each) for each in case["signature"])))
        continue
    try:
        print(verify_statements(case["statements"], case["keys"], case.get("previous")))
    except NotProved as error:
        print("not proved: %s" % error)
`;

/** The verdicts of the Python program, from one process. */
function pythonVerdicts(cases: readonly object[]): string[] {
  const input = JSON.stringify(cases);
  const { stdout, stderr, status } = spawnSync('python3', ['-c', python], { cwd: root, input });
  if (status !== 0) throw new Error(stderr.toString('utf8'));
  return stdout.toString('utf8').trimEnd().split('\n');
}

const ofShop = statementsOf('shop-1', sampleMoves(60));
const ofOther = statementsOf('shop-2', sampleMoves(61));
let previous: Json;
let rub: Json;
let eur: Json;
let other: Json;
beforeAll(async () => {
  previous = await ofShop('RUB', 0, 23);
  rub = await ofShop('RUB', 23, 60);
  eur = await ofShop('EUR', 23, 60);
  other = await ofOther('RUB', 23, 60);
});

/** The paths of all proved values of a statement. */
const proved = (statement: Json): string[][] => {
  const paths: string[][] = [];
  const walk = (value: Json, path: string[]) => {
    if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) walk(member, [...path, name]);
    else if (value !== null) paths.push(path);
  };
  walk(statement, []);
  // These times are not signed.
  const unsigned = ['to', 'checkpoint.at'];
  return paths.filter((path) => !unsigned.includes(path.join('.')));
};

function flip(text: string, bit: number): string {
  const bytes = Buffer.from(text);
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('utf8');
}

/** A copy with one bit of the value at that path changed. */
function changed(statement: Json, path: readonly string[], bit: number): Json {
  const copy = structuredClone(statement);
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce((value, name) => value[name], copy);
  const value = holder[last];
  holder[last] = typeof value === 'number' ? value ^ (1 << (bit % 20)) : flip(value, bit);
  return copy;
}

const without = (list: Json[], at: number) => list.toSpliced(at, 1);
const withEntries = (statement: Json, change: (entries: Json[]) => Json[]) => ({
  ...structuredClone(statement),
  entries: change(structuredClone(statement.entries)),
});

/** Every kind of manipulation, and the verdict that it must cause. */
function manipulations(seed: number): { what: string; case: Case; expected: RegExp }[] {
  const both = { statements: [rub], previous, keys };
  const together = (statement: Json) => ({ statements: [statement, eur], previous, keys });
  const entryAt = fc.nat(rub.entries.length - 2);
  const bits = fc.sample(fc.tuple(fc.constantFrom(...proved(rub)), fc.nat(2 ** 20)), {
    numRuns: 120,
    seed,
  });
  const entries = fc.sample(entryAt, { numRuns: 20, seed });
  return [
    ...bits.map(([path, bit]) => ({
      what: `a bit of ${path.join('.')}`,
      case: { ...both, statements: [changed(rub, path, bit)] },
      expected:
        path[0] === 'entries'
          ? new RegExp(`^not proved: entry ${Number(path[1]) + 1}\\b`)
          : /^not proved: /,
    })),
    ...entries.flatMap((at) => [
      {
        what: `entry ${at + 1} left out`,
        case: together(withEntries(rub, (list) => without(list, at))),
        expected: /^not proved: (entry|closing|leaf)/,
      },
      {
        what: `entry ${at + 1} twice`,
        case: {
          ...both,
          statements: [withEntries(rub, (list) => list.toSpliced(at, 0, list[at]))],
        },
        expected: new RegExp(`^not proved: entry ${at + 2} .*comes after leaf`),
      },
      {
        what: `entries ${at + 1} and ${at + 2} in the other order`,
        case: {
          ...both,
          statements: [withEntries(rub, (list) => list.toSpliced(at, 2, list[at + 1], list[at]))],
        },
        expected: new RegExp(`^not proved: entry (${at + 1}|${at + 2}) `),
      },
      {
        what: `entry ${at + 1} of another shop`,
        case: {
          ...both,
          statements: [withEntries(rub, (list) => list.toSpliced(at, 1, other.entries[at]))],
        },
        expected: new RegExp(`^not proved: entry ${at + 1} .*does not lead to the signed root`),
      },
    ]),
    {
      what: 'another shop’s name',
      case: { ...both, statements: [{ ...rub, shop_id: 'shop-2' }] },
      expected: /signature does not hold/,
    },
    {
      what: 'another shop’s checkpoint',
      case: { ...both, statements: [{ ...rub, checkpoint: other.checkpoint }] },
      expected: /signature does not hold/,
    },
    {
      what: 'another shop’s statement before it',
      case: { ...both, statements: [other] },
      expected: /the previous statement is of shop-1/,
    },
    {
      what: 'a currency left out and named twice',
      case: { statements: [rub, rub], keys },
      expected: /^not proved: leaf \d+ is in (two entries|no entry)/,
    },
    {
      what: 'a key that is not known',
      case: { ...both, keys: { keys: [] } },
      expected: /the key \w+ is unknown/,
    },
    {
      what: 'a key that had ended',
      case: {
        ...both,
        keys: { keys: [{ ...keys.keys[0], valid_until: '2026-01-02T00:00:00.000Z' }] },
      },
      expected: /was not valid/,
    },
  ];
}

/** Statements of a tree whose last leaf belongs to the previous period. */
async function outOfOrder(): Promise<Pick<Case, 'statements' | 'previous'>> {
  const credit = { currency: 'RUB', kind: 'credit', amount: 100, reserved: 0 } as const;
  const unmoved = { ...credit, kind: 'suspense', amount: 0 } as const;
  const moves = [credit, { ...unmoved, at: 3 }, { ...unmoved, at: 1 }];
  const whole = await statementsOf('shop-5', moves)('RUB', 0, 3);
  const middle = whole.entries[1].at;
  const [first, later, earlier] = whole.entries;
  const before = { ...whole, to: middle, entries: [first, earlier] };
  const statement = {
    ...whole,
    from: middle,
    to: whole.checkpoint.at.replace(/:\d\d\./, ':59.'),
    opening: whole.closing,
    entries: [later],
    consistency: { from_size: 3, proof: [] },
  };
  return { statements: [statement], previous: before };
}

describe('verify-statement', () => {
  it('verifies a statement, also with the previous one and with other currencies', () => {
    expect(verdictOf({ statements: [rub], keys })).toMatch(/no previous statement/);
    expect(verdictOf({ statements: [rub], previous, keys })).toMatch(/nothing before was changed$/);
    expect(verdictOf({ statements: [rub, eur], previous, keys })).toMatch(/^shop-1: 37 entries/);
  });

  it('reports leaves between its entries that one file may omit (R25.4)', async () => {
    const leaves: number[] = rub.entries.map(({ proof }: Json) => proof.index);
    const others = (leaves.at(-1) ?? 0) - (leaves[0] ?? 0) + 1 - leaves.length;
    const expected = (count: number) =>
      `; leaves between its entries that are not in it: ${count}, of other currencies or left out: ` +
      'the files of all currencies show which; ';
    expect(verdictOf({ statements: [rub], keys })).toContain(expected(others));
    // Without an amount a missing entry does not change a balance.
    const credit = { currency: 'RUB', kind: 'credit', amount: 100, reserved: 0 } as const;
    const unmoved = { ...credit, kind: 'suspense', amount: 0 } as const;
    const whole = await statementsOf('shop-3', [credit, unmoved, credit])('RUB', 0, 3);
    const shorter = withEntries(whole, (list) => without(list, 1));
    expect(verdictOf({ statements: [whole], keys })).not.toContain('left out');
    expect(verdictOf({ statements: [shorter], keys })).toContain(expected(1));
    expect(verdictOf({ statements: [rub, eur], keys })).not.toContain('left out');
  });

  it('reports a leaf at the edge of a period that may be omitted (R25.4)', async () => {
    const credit = { currency: 'RUB', kind: 'credit', amount: 100, reserved: 0 } as const;
    const unmoved = { ...credit, kind: 'suspense', amount: 0 } as const;
    const statementOf = statementsOf('shop-4', [credit, unmoved, unmoved, credit]);
    const [before, after] = [await statementOf('RUB', 0, 2), await statementOf('RUB', 2, 4)];
    expect(verdictOf({ statements: [after], previous: before, keys })).not.toContain('left out');
    const expected =
      '; leaves since the last entry of the previous statement that are not in it: 1, of other currencies or left out; ';
    const early = withEntries(before, (list) => without(list, 1));
    expect(verdictOf({ statements: [after], previous: early, keys })).toContain(expected);
    const late = withEntries(after, (list) => without(list, 0));
    expect(verdictOf({ statements: [late], previous: before, keys })).toContain(expected);
    expect(verdictOf({ ...(await outOfOrder()), keys })).toBe(
      'not proved: leaf 1 comes after leaf 2 of the previous statement',
    );
  });

  it('names the first entry or proof that was changed (R25.4)', () => {
    const wrong = manipulations(1).filter(
      ({ case: input, expected }) => !expected.test(verdictOf(input)),
    );
    expect(wrong.map(({ what, case: input }) => `${what}: ${verdictOf(input)}`)).toEqual([]);
  });

  it.skipIf(!hasPython)('has the same verdicts in Python (R25.4)', async () => {
    const cases = [
      { statements: [rub], keys },
      { statements: [rub, eur], previous, keys },
      { statements: [rub], previous, keys },
      { ...(await outOfOrder()), keys },
      ...manipulations(2).map((each) => each.case),
    ];
    expect(pythonVerdicts(cases)).toEqual(cases.map(verdictOf));
  });

  it.skipIf(!hasPython)('verifies the examples of RFC 8032 in Python', () => {
    const examples = [
      [
        'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
        '',
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      ],
      [
        '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
        '72',
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      ],
      [
        'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
        'af82',
        '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
      ],
    ];
    const forged = examples.map(([key, text, signature]) => [key, `${text}00`, signature]);
    const verdicts = pythonVerdicts([...examples, ...forged].map((signature) => ({ signature })));
    expect(verdicts).toEqual(['True', 'True', 'True', 'False', 'False', 'False']);
  });

  const programs: [string, string][] = [
    ['TypeScript', 'clients/typescript/verify-statement'],
    ...(hasPython ? [['Python', 'clients/python/verify-statement'] as [string, string]] : []),
  ];
  it.each(programs)('is a program with exit codes, in %s (R25.4)', (_language, program) => {
    const file = (name: string, text: string) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const [good, bad, broken, keysFile] = [
      file('good.json', JSON.stringify(rub)),
      file('bad.json', JSON.stringify({ ...rub, closing: '0.01' })),
      file('broken.json', JSON.stringify(rub).slice(0, -1)),
      file('keys.json', JSON.stringify(keys)),
    ];
    const run = (...args: string[]) => {
      const { status, stdout } = spawnSync(join(root, program), args, { encoding: 'utf8' });
      return { status, lines: stdout.split('\n').length - 1 };
    };
    expect(run(good, '--keys', keysFile)).toEqual({ status: 0, lines: 1 });
    expect(run(bad, '--keys', keysFile)).toEqual({ status: 1, lines: 1 });
    expect(run(good, '--keys', keysFile, '--previous', good)).toEqual({ status: 1, lines: 1 });
    expect(run(broken, '--keys', keysFile)).toEqual({ status: 1, lines: 1 });
    for (const wrong of [[], [good], [good, '--keys', join(folder, 'none')], ['--nothing']])
      expect(run(...wrong)).toEqual({ status: 2, lines: 0 });
  });
});
