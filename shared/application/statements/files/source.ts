import { createYieldTurns } from '#shared/platform/loop/yield-loop.ts';
import {
  createPieceDecoder,
  detectByHead,
  detectOfBank,
  headLength,
  pieceBytes,
  type Encoding,
  type FileHead,
} from './encoding.ts';

/** A file that may be read more than once: its bytes from the first one, in chunks of any size. */
export type FileSource = () => AsyncIterable<Uint8Array>;

/** A file that is in memory. */
export const inOneChunk = (bytes: Uint8Array): FileSource =>
  async function* () {
    yield bytes;
  };

/** Pieces of one size, so that what is read does not depend on how the bytes arrive. */
async function* readPieces(source: FileSource): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source()) {
    let rest = chunk;
    while (length + rest.length >= pieceBytes) {
      const size = pieceBytes - length;
      yield Buffer.concat([...waiting, rest.subarray(0, size)]);
      [waiting, length, rest] = [[], 0, rest.subarray(size)];
    }
    waiting.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/**
 * Reads as much of the file as shows its encoding: to its end if it may be UTF-8, of which an
 * invalid byte may come anywhere. It yields to the event loop. `known`: an encoding that is not
 * detected.
 */
export async function readHead(source: FileSource, known?: Encoding): Promise<FileHead> {
  const yieldTurn = createYieldTurns();
  const decoder = createPieceDecoder('utf-8');
  let first: Uint8Array = new Uint8Array();
  let isUtf8 = true;
  for await (const piece of readPieces(source)) {
    if (first.length < headLength)
      first = Buffer.concat([first, piece.subarray(0, headLength - first.length)]);
    isUtf8 &&= decoder.take(piece) !== undefined;
    const isFull = first.length === headLength;
    if (isFull && (!isUtf8 || (known ?? detectByHead(first)) !== undefined)) break;
    await yieldTurn();
  }
  isUtf8 &&= decoder.end() !== undefined;
  const encoding = known ?? detectByHead(first) ?? (isUtf8 ? 'utf-8' : detectOfBank(first));
  return { first, encoding };
}

/** The text of a file, in pieces; undefined for invalid bytes, which end it. */
export async function* decodeSource(
  source: FileSource,
  encoding: Encoding,
): AsyncGenerator<string | undefined> {
  const decoder = createPieceDecoder(encoding);
  for await (const piece of readPieces(source)) {
    const text = decoder.take(piece);
    yield text;
    if (text === undefined) return;
  }
  yield decoder.end();
}
