import { deflateSync, crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { toPalettePng } from './palette-png.ts';

/** A PNG of RGB rows, each with a filter of its own. */
function rgbPng(
  width: number,
  rows: readonly { filter: number; bytes: readonly number[] }[],
): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const data = Buffer.from(rows.flatMap(({ filter, bytes }) => [filter, ...bytes]));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const paletteOf = (png: Buffer) => {
  const at = png.indexOf('PLTE');
  return [...png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))];
};

it('keeps the colours, whatever filter a row has', () => {
  const red = [200, 10, 20];
  for (const [filter, second] of [
    [0, [...red, ...red]],
    [1, [...red, 0, 0, 0]],
    [2, [0, 0, 0, 0, 0, 0]],
    [4, [0, 0, 0, 0, 0, 0]],
  ] as const) {
    const png = rgbPng(2, [
      { filter: 0, bytes: [...red, ...red] },
      { filter, bytes: second },
    ]);
    expect(paletteOf(toPalettePng(png))).toEqual(red);
  }
});

it('has no more than 256 colours: the most frequent first, and those that stand out', () => {
  const width = 4096;
  const colour = (x: number) => (x < 50 ? [1, 2, 3] : [x & 255, (x >> 4) & 255, (x * 7) & 255]);
  const bytes = Array.from({ length: width }, (_, x) => colour(x)).flat();
  const palette = paletteOf(toPalettePng(rgbPng(width, [{ filter: 0, bytes }])));
  expect(palette).toHaveLength(256 * 3);
  expect(palette.slice(0, 3)).toEqual([1, 2, 3]);

  const shades = Array.from({ length: width }, (_, x) =>
    x === 0 ? [0, 200, 0] : [90, 90, x & 255],
  ).flat();
  const few = paletteOf(toPalettePng(rgbPng(width, [{ filter: 0, bytes: shades }])));
  expect(few.join(',')).toContain('0,200,0');
});

it('refuses what is no PNG', () => {
  expect(() => toPalettePng(Buffer.from('GIF89a, and more than eight bytes'))).toThrow('no PNG');
});
