import { crc32, deflateSync } from 'node:zlib';

const [width, height] = [360, 480];

/** A PNG that looks like a photographed receipt, and that browsers show. */
export function receiptPicture(): Buffer<ArrayBuffer> {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(width + 1, 0xf4);
    // No filter.
    row[0] = 0;
    const isLine = y > 40 && y < 420 && y % 36 < 10;
    if (isLine) row.fill(0x50, 40, 40 + 120 + ((y * 37) % 150));
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}
