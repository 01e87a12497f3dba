import type { Random } from '#infra/verify/harness/tests/random.ts';
import { broken, nastyText, words } from './values.ts';

/** Percent-encoded, with lone surrogates as three bytes of invalid UTF-8. */
export function encodedText(text: string): string {
  return text.replace(/[^A-Za-z0-9._~-]/g, (unit) => {
    const code = unit.charCodeAt(0);
    const bytes =
      code < 0x80
        ? [code]
        : code < 0x800
          ? [0xc0 | (code >> 6), 0x80 | (code & 0x3f)]
          : [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  });
}

/** A nearly valid form: fields removed, doubled, added, or with other texts. */
export function nastyFields(random: Random, valid: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(valid);
  for (let change = random.below(3); change >= 0; change -= 1) {
    const at = random.below(fields.length + 1);
    const [name, value] = fields[at] ?? [nastyText(random), ''];
    const kind = random.below(5);
    if (kind === 0) fields.splice(at, 1);
    else if (kind === 1) fields.push([name, value]);
    else fields[at] = [name, nastyText(random)];
  }
  const text = fields.map((pair) => pair.map(encodedText).join('=')).join('&');
  return random.chance(0.9) ? Buffer.from(text) : broken(random, text);
}

/** Separators of cells and lines, and numbers, times and names that no line may have. */
const nastyCells = [
  '"',
  '""',
  '"a\nb"',
  '"a""b"',
  '"never ends',
  'a"b',
  ',',
  '\n',
  '\r',
  ...words(`
    =1+1 -10.50 10.505 1e2 00010.50 0.00 2026-02-30T00:00:00Z 0000-01-01T00:00:00.000Z
    +12026-01-31T12:00:00.000Z 2147483648 chargeback fee USD
  `),
  'l'.repeat(9_000),
] as const;

/**
 * A nearly valid file: cells and lines removed, doubled, by the thousand, or with other texts; or
 * random bytes.
 */
export function nastyCsv(random: Random, valid: readonly string[]): Buffer {
  const lines = valid.map((line) => line.split(','));
  const mark = random.chance(0.1) ? '\ufeff' : '';
  for (let change = random.below(3); change >= 0; change -= 1) {
    // More often a line than the header, because a file without a valid header is not read further.
    const at = random.chance(0.2) ? 0 : random.below(lines.length);
    const cells = lines[at] ?? [];
    const cell = random.below(cells.length + 1);
    const kind = random.below(7);
    if (kind === 0) lines.splice(at, 1);
    else if (kind === 1) lines.push(cells);
    else if (kind === 2) cells.splice(cell, 1);
    else if (kind === 3)
      lines.push(...Array.from({ length: random.pick([100, 3_000]) }, () => cells));
    else cells[cell] = random.chance(0.5) ? random.pick(nastyCells) : nastyText(random);
  }
  const end = random.pick(['\n', '\r\n', '\r']);
  const text =
    mark + lines.map((cells) => cells.join(',')).join(end) + (random.chance(0.8) ? end : '');
  return random.chance(0.9) ? Buffer.from(text) : broken(random, text);
}
