import { fstatSync, openSync, readSync } from 'node:fs';

/** The bytes of a file from an offset on, as often as they are asked for. */
export type ByteSource = (offset: number) => Iterator<Buffer>;

const chunkSize = 65_536;

export const sourceFromBytes = (bytes: Uint8Array): ByteSource =>
  function* (offset) {
    for (let at = offset; at < bytes.length; at += chunkSize)
      yield Buffer.from(bytes.subarray(at, at + chunkSize));
  };

/**
 * A file of any size, read twice in bounded memory; what can be read only once, such as a pipe, is
 * kept.
 * @throws the system's error if it can't be read, here or later
 */
export function sourceFromFile(path: string): ByteSource {
  const file = openSync(path, 'r');
  if (!fstatSync(file).isFile()) return sourceFromBytes(Buffer.concat([...chunksFrom(file, null)]));
  return (offset) => chunksFrom(file, offset);
}

function* chunksFrom(file: number, offset: number | null): Generator<Buffer> {
  let position = offset;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunkSize);
    const size = readSync(file, chunk, 0, chunkSize, position);
    if (size === 0) return;
    if (position !== null) position += size;
    yield chunk.subarray(0, size);
  }
}
