import type { Random } from '#infra/verify/harness/tests/random.ts';

/** A list of texts without a space. */
export const words = (text: string) => text.trim().split(/\s+/) as [string, ...string[]];

/** Texts that have broken programs before: names of prototypes, SQL, shell, odd Unicode. */
const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001\u001f\u007f',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\uffff',
  '\u202e\u2066evil',
  ...words(`é́́́ 👩‍👩‍👧‍👦 __proto__ constructor prototype toString hasOwnProperty then toJSON`),
  "' or 1=1 --",
  '"; drop table operations; --',
  '${7*7}{{7*7}}<%= 7*7 %>',
  ...words(`<script>alert(1)</script> ../../../../etc/passwd %00%n%s%x`),
  '\r\nx-evil: 1',
  ...words(`
    null NaN Infinity -0 1e999 0x7f 00000000-0000-0000-0000-000000000000
    ffffffff-ffff-ffff-ffff-ffffffffffff
  `),
  '9'.repeat(400),
  'z'.repeat(5_000),
  'ж'.repeat(513),
  ...words(
    `100.00 -1.00 0.00 999999999999999.99 9999-12-31T23:59:59.999Z +275760-09-13T00:00:00.001Z`,
  ),
] as const;

const nastyNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308, 5e-324] as const;

/** JSON that no `JSON.stringify` makes. */
const nastyJson = [
  '',
  ...words(`
    null true [] "" {} 1e400 {"a":1,"a":2} {"__proto__":{"amount":"1.00"}}
    {"constructor":{"prototype":{"x":1}}} {"amount":1e400}
  `),
  `{"amount":${'9'.repeat(10_000)}}`,
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '{"\\ud800":1}',
  '{"\\u0000":1}',
  '{"a":1}garbage',
  '{"a":1}{"b":2}',
  "{'a':1}",
  ...words(`{"a":01} {"a":NaN} {"a":/*c*/1}`),
  '['.repeat(70),
  '['.repeat(60_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `{${Array.from({ length: 4_000 }, (_, at) => `"k${at}":1`).join()}}`,
  `[${'1,'.repeat(30_000)}1]`,
  `"${'x'.repeat(65_600)}"`,
] as const;

export function nastyText(random: Random): string {
  if (random.chance(0.75)) return random.pick(nastyTexts);
  // Any UTF-16 unit, including lone surrogates.
  const length = 1 + random.below(40);
  return String.fromCharCode(...Array.from({ length }, () => random.below(0x1_0000)));
}

/** A value of any type, some of them nested. */
function nastyValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 5 : 8);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(nastyNumbers);
    case 3:
    case 4:
      return nastyText(random);
    case 5:
      return Array.from({ length: random.below(5) }, () => nastyValue(random, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [
          nastyText(random),
          nastyValue(random, depth + 1),
        ]),
      );
  }
}

/**
 * A JSON body: nearly valid, with fields removed, doubled, of other types, or added; or anything
 * else.
 */
export function nastyBody(random: Random, valid: object): Buffer {
  if (random.chance(0.2)) return Buffer.from(random.pick(nastyJson));
  const fields = Object.entries(valid);
  const changes = 1 + random.below(3);
  for (let change = 0; change < changes; change += 1) {
    const at = random.below(fields.length + 1);
    const [name] = fields[at] ?? [nastyText(random)];
    if (random.chance(0.2)) fields.splice(at, 1);
    else fields[at] = [name, nastyValue(random)];
  }
  // Written as text, because names may repeat, and `__proto__` is allowed.
  const pairs = fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  if (random.chance(0.1)) pairs.push(...pairs);
  return random.chance(0.85)
    ? Buffer.from(`{${pairs.join()}}`)
    : broken(random, `{${pairs.join()}}`);
}

/** The bytes of a text with some of them flipped, cut off or doubled. */
export function broken(random: Random, text: string | Buffer): Buffer {
  const bytes = Buffer.from(text as string);
  if (bytes.length === 0) return bytes;
  switch (random.below(3)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length));
    case 1:
      return Buffer.concat([bytes, bytes.subarray(random.below(bytes.length))]);
    default: {
      const count = 1 + random.below(4);
      for (let flip = 0; flip < count; flip += 1)
        bytes[random.below(bytes.length)] = random.below(256);
      return bytes;
    }
  }
}

export function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}
