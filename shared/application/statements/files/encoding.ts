import { isUtf8 } from 'node:buffer';

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1251', 'ibm866'] as const;
export type Encoding = (typeof encodings)[number];

/** The encoding by the byte order mark, else UTF-8 if valid, else that of Russian banks. */
export function detectEncoding(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (isUtf8(bytes)) return 'utf-8';
  const head = Buffer.from(bytes.subarray(0, 400)).toString('latin1');
  return /^1CClientBankExchange\r?\n[^]*?=DOS\r?\n/.test(head) ? 'ibm866' : 'windows-1251';
}

const pieceBytes = 64 * 1024;

/** The text in pieces; undefined for invalid bytes. */
export function* decodePieces(
  bytes: Uint8Array,
  encoding: Encoding,
): Generator<string | undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let at = 0; at <= bytes.length; at += pieceBytes) {
    const stream = at + pieceBytes <= bytes.length;
    try {
      yield decoder.decode(bytes.subarray(at, at + pieceBytes), { stream });
    } catch {
      return yield undefined;
    }
  }
}
