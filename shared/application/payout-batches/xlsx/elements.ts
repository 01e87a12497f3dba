import { setImmediate as turn } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { decodePieces, detectEncoding } from '../../statements/files/encoding.ts';
import { InvalidWorkbook } from './archive.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/** Called with the names of the elements around, without prefixes, the innermost last. */
export type ElementHandlers = {
  open?(path: readonly string[], attributes: XmlAttributes): void;
  /** `text`: since the last tag. */
  close?(path: readonly string[], text: string): void;
};

const mostDepth = 32;
/** The most attributes of one element. */
const mostAttributes = 64;
/** Some 50 cells, after which the event loop has a turn. */
const pieceLength = 4_096;

/**
 * Reads a part of a workbook, and yields after each piece. A document type is refused, so that no
 * entity can be declared.
 * @throws InvalidWorkbook
 */
export async function* readElements(
  part: Uint8Array,
  handlers: ElementHandlers,
): AsyncGenerator<void> {
  const xml = createParser(handlers);
  for (const text of decodePieces(part, detectEncoding(part))) {
    if (text === undefined) throw new InvalidWorkbook('a part has an unknown encoding');
    for (let at = 0; at < text.length; at += pieceLength) {
      xml.write(text.slice(at, at + pieceLength));
      yield;
      await turn();
    }
  }
  xml.close();
  yield;
}

function createParser({ open, close }: ElementHandlers): SaxesParser {
  const xml = new SaxesParser();
  const path: string[] = [];
  let text = '';
  let attributeCount = 0;
  const fail = (): never => {
    throw new InvalidWorkbook('a part is no XML');
  };
  xml.on('error', fail);
  xml.on('doctype', fail);
  xml.on('opentagstart', () => void (attributeCount = 0));
  xml.on('attribute', () => {
    attributeCount += 1;
    if (attributeCount > mostAttributes) fail();
  });
  xml.on('text', (more) => void (text += more));
  xml.on('cdata', (more) => void (text += more));
  xml.on('opentag', ({ name, attributes }) => {
    text = '';
    path.push(name.slice(name.indexOf(':') + 1));
    if (path.length > mostDepth) fail();
    open?.(path, attributes);
  });
  xml.on('closetag', () => {
    close?.(path, text);
    text = '';
    path.pop();
  });
  return xml;
}

/** Reads a part as a whole. @throws InvalidWorkbook */
export async function readPart(part: Uint8Array, handlers: ElementHandlers): Promise<void> {
  for await (const _ of readElements(part, handlers)) continue;
}

/** A text as a cell has it: Office writes control characters as `_x000D_`. */
export const cellText = (text: string): string =>
  text.replaceAll(/_x([0-9A-F]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
