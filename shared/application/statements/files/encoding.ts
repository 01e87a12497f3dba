import { isUtf8 } from 'node:buffer';

export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1251',
  'ibm866',
  'windows-1252',
  'iso-8859-2',
  'iso-8859-15',
] as const;
export type Encoding = (typeof encodings)[number];

/** What shows a file's dialect: its first bytes, and the encoding, for which all may be needed. */
export type FileHead = { first: Uint8Array; encoding: Encoding };

/** Of the bytes that show a dialect. */
export const headLength = 16_384;
/** Of those that show the encoding. */
const headBytes = 4_096;

/**
 * The encoding by the byte order mark, by what an XML file declares, or by its zero bytes;
 * undefined where only all of its bytes show it.
 */
export function detectByHead(first: Uint8Array): Encoding | undefined {
  const [one, two] = first;
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  if (one !== 0 && two === 0) return 'utf-16le';
  if (one === 0 && two !== 0) return 'utf-16be';
  return declaredByXml(first.subarray(0, headBytes));
}

/** That of banks whose files are not UTF-8. */
export const detectOfBank = (first: Uint8Array): Encoding =>
  isOneCInDos(first.subarray(0, headBytes)) ? 'ibm866' : 'windows-1251';

/** The encoding of a file that is in memory: UTF-8 if valid, unless its head shows another. */
export const detectEncoding = (bytes: Uint8Array): Encoding =>
  detectByHead(bytes) ?? (isUtf8(bytes) ? 'utf-8' : detectOfBank(bytes));

function declaredByXml(head: Uint8Array): Encoding | undefined {
  const start = new TextDecoder('latin1').decode(head).replace(/^ï»¿/, '').trimStart();
  const [, label] = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/.exec(start) ?? [];
  if (label === undefined) return undefined;
  try {
    const name = new TextDecoder(label).encoding;
    return encodings.find((each) => each === name) ?? 'utf-8';
  } catch {
    return 'utf-8';
  }
}

/** By its keywords: the encoding that the file declares is often another one. */
function isOneCInDos(head: Uint8Array): boolean {
  const keyword = /^(?:ВерсияФормата|Кодировка|Отправитель|ДатаНачала|РасчСчет)=/m;
  const text = (encoding: Encoding) => new TextDecoder(encoding).decode(head);
  return !keyword.test(text('windows-1251')) && keyword.test(text('ibm866'));
}

/** Few enough to be decoded and parsed in one turn of the event loop. */
export const pieceBytes = 64 * 1024;

/** Decodes a text in pieces; undefined for invalid bytes. */
export function createPieceDecoder(encoding: Encoding) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const attempt = (bytes?: Uint8Array): string | undefined => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      return undefined;
    }
  };
  return { take: (bytes: Uint8Array) => attempt(bytes), end: () => attempt() };
}

/** The text of a file in memory, in pieces; undefined for invalid bytes, which end it. */
export function* decodePieces(
  bytes: Uint8Array,
  encoding: Encoding,
): Generator<string | undefined> {
  const decoder = createPieceDecoder(encoding);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const text = decoder.take(bytes.subarray(at, at + pieceBytes));
    yield text;
    if (text === undefined) return;
  }
  yield decoder.end();
}
