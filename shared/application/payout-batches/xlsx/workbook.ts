import { posix } from 'node:path';
import { InvalidWorkbook, WorkbookTooLarge, type Archive } from './archive.ts';
import { cellText, readPart, type XmlAttributes } from './elements.ts';
import { readFormat, type NumberFormat } from './number-formats.ts';

/** Texts and styles; 10,000 rows have at most 80,000 texts. */
const mostListed = 200_000;

/** The first sheet of a file, unpacked, with what its cells refer to. */
export type Workbook = {
  sheet: Uint8Array;
  texts: readonly string[];
  /** By the number of a cell's style. */
  formats: readonly NumberFormat[];
};

/** @throws InvalidWorkbook, WorkbookTooLarge */
export async function openWorkbook(archive: Archive): Promise<Workbook> {
  const main = (await linkedParts(archive, '')).find(isOfKind('officeDocument'));
  const mainPart = main && (await archive.unpack(main.path));
  if (!main || !mainPart) throw new InvalidWorkbook('it is no workbook');
  const linked = await linkedParts(archive, main.path);
  const first = await firstSheet(mainPart);
  const link = linked.find(({ id, kind }) => id === first && kind === 'worksheet');
  const sheet = link && (await archive.unpack(link.path));
  if (!sheet) throw new InvalidWorkbook('its first sheet is no table');
  const part = async (kind: string) => {
    const found = linked.find(isOfKind(kind));
    return found && archive.unpack(found.path);
  };
  const texts = await readTexts(await part('sharedStrings'));
  const formats = await readFormats(await part('styles'));
  return { sheet, texts, formats };
}

type Link = { id: string; kind: string; path: string };
const isOfKind = (kind: string) => (link: Link) => link.kind === kind;

/** The parts that another one refers to; `''`: those of the file itself. */
async function linkedParts(archive: Archive, from: string): Promise<Link[]> {
  const { dir, base } = posix.parse(from);
  const part = await archive.unpack(posix.join(dir, '_rels', `${base}.rels`));
  const links: Link[] = [];
  if (!part) return links;
  const open = ([, name]: readonly string[], attributes: XmlAttributes) => {
    if (name !== 'Relationship' || attributes['TargetMode'] === 'External') return;
    const { Id: id = '', Type: type = '', Target: target = '' } = attributes;
    const path = posix.join(target.startsWith('/') ? '' : dir, target).replace(/^\//, '');
    addTo(links, { id, kind: type.slice(type.lastIndexOf('/') + 1), path });
  };
  await readPart(part, { open });
  return links;
}

function addTo<T>(list: T[], value: T): void {
  list.push(value);
  if (list.length > mostListed) throw new WorkbookTooLarge();
}

/** The id of the link to the sheet that stands first, also where it is hidden. */
async function firstSheet(part: Uint8Array): Promise<string | undefined> {
  let first: string | undefined;
  const open = (path: readonly string[], attributes: XmlAttributes) => {
    if (path.at(-1) !== 'sheet' || path.at(-2) !== 'sheets') return;
    const name = Object.keys(attributes).find((each) => each.endsWith(':id'));
    first ??= attributes[name ?? ''];
  };
  await readPart(part, { open });
  return first;
}

/** The texts of cells, without what says how they are pronounced. */
async function readTexts(part: Uint8Array | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (!part) return texts;
  let text = '';
  await readPart(part, {
    open: (path) => {
      if (path.length === 2) text = '';
    },
    close: (path, more) => {
      if (path.at(-1) === 't' && !path.includes('rPh')) text += more;
      if (path.length === 2) addTo(texts, cellText(text));
    },
  });
  return texts;
}

async function readFormats(part: Uint8Array | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (!part) return formats;
  const declared = new Map<number, string>();
  const open = ([, list, name]: readonly string[], attributes: XmlAttributes) => {
    const id = Number(attributes['numFmtId'] ?? 0);
    if (list === 'numFmts' && name === 'numFmt') declared.set(id, attributes['formatCode'] ?? '');
    if (list === 'cellXfs' && name === 'xf') addTo(formats, readFormat(id, declared.get(id)));
  };
  // Only the element of a style itself, and not what is in it.
  await readPart(part, {
    open: (path, attributes) => path.length === 3 && open(path, attributes),
  });
  return formats;
}
