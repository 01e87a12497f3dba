import { crc32, deflateRawSync } from 'node:zlib';

/** A cell as its XML has it; `t` and `s` are its attributes, `v` its value. */
export type CellXml =
  | string
  | { v: string; t?: string; s?: number; f?: string }
  | { inline: string }
  | undefined;

type Part = { name: string; content: string | Buffer; size?: number };

/** A zip archive; `size`: what it states that a part has, where that is wrong. */
export function zip(parts: readonly Part[]): Buffer {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, size } of parts) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const sizes = [crc32(bytes), packed.length, size ?? bytes.length];
    const begin = header(0x04_03_4b_50, [20, 0, 8, 0, 0], sizes, [name.length, 0]);
    local.push(begin, Buffer.from(name), packed);
    const rest = [name.length, 0, 0, 0, 0];
    const entry = header(0x02_01_4b_50, [20, 20, 0, 8, 0, 0], sizes, rest, [0, at]);
    directory.push(entry, Buffer.from(name));
    at += begin.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const { length } = parts;
  const end = header(0x06_05_4b_50, [0, 0, length, length], [listed.length, at], [0]);
  return Buffer.concat([...local, listed, end]);
}

/** A signature and numbers, of two, four, two and four bytes. */
function header(signature: number, ...numbers: readonly (readonly number[])[]): Buffer {
  const groups = numbers.map((group, index) =>
    Buffer.concat(group.map((number) => unsigned(number, index % 2 === 0 ? 2 : 4))),
  );
  return Buffer.concat([unsigned(signature, 4), ...groups]);
}

function unsigned(number: number, bytes: 2 | 4): Buffer {
  const written = Buffer.alloc(bytes);
  written.writeUIntLE(number, 0, bytes);
  return written;
}

/** The number formats of the styles 1 to 5. */
const formatCodes = ['#,##0.00\\ "₽"', 'dd.mm.yyyy', '0.00E+00', '"+7"0', '@'];
export const styles = { money: 1, date: 2, scientific: 3, prefixed: 4, text: 5 } as const;

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeLinks = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageLinks = 'http://schemas.openxmlformats.org/package/2006/relationships';

const escape = (text: string): string =>
  text
    .replaceAll(/_x[0-9A-F]{4}_/gi, (escaped) => `_x005F${escaped}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    // oxlint-disable-next-line no-control-regex -- XML has none of them
    .replaceAll(/[\x00-\x08\x0b-\x1f]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase();
      return `_x${code.padStart(4, '0')}_`;
    });

const links = (listed: readonly [id: string, kind: string, target: string][]) =>
  `<Relationships xmlns="${packageLinks}">${listed
    .map(
      ([id, kind, target]) =>
        `<Relationship Id="${id}" Type="${officeLinks}/${kind}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

/** A workbook with these rows in its first sheet, and texts as Excel stores them. */
export function workbookFile(
  rows: readonly (readonly CellXml[])[],
  changed: Readonly<Record<string, string | ((part: string) => string)>> = {},
): Buffer {
  const texts: string[] = [];
  const cellXml = (cell: CellXml, column: number, row: number): string => {
    if (cell === undefined) return '';
    const at = `r="${String.fromCharCode(65 + column)}${row + 1}"`;
    if (typeof cell === 'string')
      return `<c ${at} s="${styles.text}" t="s"><v>${texts.push(cell) - 1}</v></c>`;
    if ('inline' in cell)
      return `<c ${at} t="inlineStr"><is><t xml:space="preserve">${escape(cell.inline)}</t></is></c>`;
    const { v, t, s, f } = cell;
    const formula = f === undefined ? '' : `<f>${escape(f)}</f>`;
    return `<c ${at}${t ? ` t="${t}"` : ''}${s === undefined ? '' : ` s="${s}"`}>${formula}<v>${v}</v></c>`;
  };
  const rowsXml = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((cell, column) => cellXml(cell, column, row)).join('')}</row>`,
  );
  const parts: Record<string, string> = {
    '_rels/.rels': links([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${officeLinks}"><sheets><sheet name="Лист1" sheetId="1" r:id="rId1"/><sheet name="Лист2" sheetId="2" r:id="rId9"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links([
      ['rId9', 'worksheet', 'worksheets/sheet2.xml'],
      ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
      ['rId2', 'sharedStrings', '/xl/sharedStrings.xml'],
      ['rId3', 'styles', 'styles.xml'],
    ]),
    'xl/worksheets/sheet1.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<worksheet xmlns="${main}"><sheetData>${rowsXml.join('')}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.map((text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formatCodes.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escape(code)}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formatCodes.map((_, index) => `<xf numFmtId="${164 + index}"><alignment/></xf>`).join('')}</cellXfs></styleSheet>`,
  };
  for (const [name, part] of Object.entries(changed))
    parts[name] = typeof part === 'string' ? part : part(parts[name] ?? '');
  return zip(Object.entries(parts).map(([name, content]) => ({ name, content })));
}
