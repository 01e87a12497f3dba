import { crc32, deflateSync, inflateSync } from 'node:zlib';

/**
 * Reduces a picture to 256 colours, which takes a third of the bytes for a screenshot.
 * @throws unless it is a PNG as Chromium writes them: 8 bits a channel, not interlaced
 */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = paletteOf(pixels);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = palette.index(pixels[y * width + x] ?? 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk(
      'PLTE',
      Buffer.from(palette.colours.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255])),
    ),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
  return Buffer.concat([head, data, end]);
}

/** Pixels as 0xRRGGBB; screenshots are opaque. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  if (!png.subarray(0, 8).equals(signature)) throw new Error('no PNG');
  const data: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(body);
    if (type === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9] ?? 0];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0)
    throw new Error('another kind of PNG');
  const bytes = unfilter(inflateSync(Buffer.concat(data)), {
    height,
    stride: width * channels,
    channels,
  });
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = bytes.readUIntBE(at * channels, 3);
  return { width, height, pixels };
}

/**
 * PNG specification, 9.2: each row has the filter that predicts it from the pixels to the left and
 * above.
 */
function unfilter(
  raw: Buffer,
  { height, stride, channels }: { height: number; stride: number; channels: number },
): Buffer {
  const bytes = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= channels ? (bytes[at - channels] ?? 0) : 0;
      const up = y > 0 ? (bytes[at - stride] ?? 0) : 0;
      const corner = x >= channels && y > 0 ? (bytes[at - stride - channels] ?? 0) : 0;
      const foretold = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      bytes[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + foretold;
    }
  }
  return bytes;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

const maxColours = 256;
/**
 * Squared distance: closer colours look the same, and the steps of a shadow must not take all
 * places.
 */
const minDistance = 12;

function distance(one: number, other: number): number {
  return [16, 8, 0]
    .map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255))
    .reduce((total, difference) => total + difference * difference, 0);
}

/** The most frequent distinct colours; every other one becomes the nearest of them. */
function paletteOf(pixels: Uint32Array) {
  const counts = new Map<number, number>();
  for (const rgb of pixels) counts.set(rgb, (counts.get(rgb) ?? 0) + 1);
  const colours: number[] = [];
  for (const [rgb] of [...counts].toSorted(([, one], [, other]) => other - one)) {
    if (colours.length === maxColours) break;
    if (colours.every((other) => distance(rgb, other) >= minDistance)) colours.push(rgb);
  }
  const indices = new Map(colours.map((rgb, index) => [rgb, index]));
  return {
    colours,
    index: (rgb: number): number => {
      let index = indices.get(rgb);
      if (index === undefined) {
        const distances = colours.map((other) => distance(rgb, other));
        index = distances.indexOf(Math.min(...distances));
        indices.set(rgb, index);
      }
      return index;
    },
  };
}
