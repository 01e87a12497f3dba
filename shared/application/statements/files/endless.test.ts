import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatementFile } from '../read-file.ts';
import { camt053File, camt054File, mt940File, oneCFile } from '../testing/bank-files.ts';
import { inOneChunk, type FileSource } from './source.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const header = 'kind,direction,leg_id,amount,currency,completed_at\n';
const row = 'transfer,in,leg,1.00,RUB,2026-01-31T12:00:00Z\n';
const camt = '<Document><BkToCstmrStmt><Stmt>';

/** A beginning, and a text that is repeated without end. */
const endless = (head: string, filler: string): FileSource =>
  async function* () {
    yield Buffer.from(head);
    const chunk = Buffer.from(filler.repeat(Math.ceil(65_536 / filler.length)));
    for (;;) yield chunk;
  };

describe('an endless file is read to its first text that is too long (R22.15):', () => {
  it.each([
    ['CSV', 'csv_too_long', header, 'x'],
    ['CSV, in quotes', 'csv_too_long', `${header}"`, 'x\n'],
    ['MT940', 'line_too_long', mt940File.slice(0, mt940File.indexOf(':86:') + 4), 'x'],
    ['1C', 'line_too_long', oneCFile.slice(0, oneCFile.indexOf('Сумма=') + 6), '1'],
    ['CAMT', 'text_too_long', `${camt}<Ntry><Amt>`, '1'],
    ['CAMT, a comment', 'text_too_long', `${camt}<!--`, 'x'],
    ['CAMT, CDATA', 'text_too_long', `${camt}<![CDATA[`, 'x'],
    ['CAMT, an attribute', 'text_too_long', `${camt}<Ntry a="`, 'x'],
    ['CAMT, a name', 'text_too_long', `${camt}<`, 'x'],
    ['CAMT, an instruction', 'text_too_long', `${camt}<?x `, 'x'],
    ['CAMT, a text with comments', 'text_too_long', `${camt}<Ntry><Amt>`, '1<!-- -->'],
  ])('%s', async (_, code, head, filler) => {
    const read = await readStatementFile(endless(head, filler), of, { encoding: 'utf-8' });
    expect(read).toMatchObject({ ok: false, errors: [{ code }] });
  });

  it('MT940, and the purposes of a movement', async () => {
    const head = ':20:1\n:25:1\n:60F:C260130RUB0,00\n:61:260131C1,NTRFA\n';
    const read = await readStatementFile(endless(head, ':86:x\n'), of, { encoding: 'utf-8' });
    expect(read).toMatchObject({ ok: false, errors: { length: 100, 0: { code: 'syntax' } } });
  });
});

it('a file is read the same in chunks of any size (R22.19)', async () => {
  const files = [camt053File, camt054File, mt940File, oneCFile, `\uFEFF${header}${row}`];
  const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.nat(4_000),
      sizes,
      async (file, cut, lengths) => {
        const bytes = Buffer.from(file.slice(0, 4_000 - cut) + file.slice(4_010 - cut));
        async function* chunks() {
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const length = lengths[turn % lengths.length] ?? 1;
            yield bytes.subarray(at, at + length);
            at += length;
          }
        }
        expect(await readStatementFile(chunks, of)).toEqual(
          await readStatementFile(inOneChunk(bytes), of),
        );
      },
    ),
    { numRuns: 100 },
  );
});
