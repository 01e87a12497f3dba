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

const headBytes = 4_096;

/**
 * The encoding by the byte order mark, by what an XML file declares, or by its zero bytes; else
 * UTF-8 if valid, else that of Russian banks.
 */
export function detectEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0) return 'utf-16le';
  if (first === 0 && second !== 0) return 'utf-16be';
  const head = bytes.subarray(0, headBytes);
  const declared = declaredByXml(head);
  if (declared) return declared;
  if (isUtf8(bytes)) return 'utf-8';
  return isOneCInDos(head) ? 'ibm866' : 'windows-1251';
}

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
