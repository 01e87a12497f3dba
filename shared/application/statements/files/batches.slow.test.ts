import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { readStatementFile } from '../read-file.ts';
import { inOneChunk } from './source.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const numRuns = Number(process.env['STATEMENT_FILES'] ?? 300);

type Part = { minor: number; isOut: boolean };
type Batch = {
  parts: Part[];
  /** What each part was charged; credits are less than zero. */
  charges: number[];
  stated: 'early' | 'records' | 'parts' | 'nowhere';
};

const batch: fc.Arbitrary<Batch> = fc
  .array(fc.record({ minor: fc.integer({ min: 1, max: 10 ** 9 }), isOut: fc.boolean() }), {
    minLength: 2,
    maxLength: 6,
  })
  .chain((parts) =>
    fc.record({
      parts: fc.constant(parts),
      charges: fc.array(fc.integer({ min: -100, max: 1_000 }), {
        minLength: parts.length,
        maxLength: parts.length,
      }),
      stated: fc.constantFrom('early', 'records', 'parts', 'nowhere'),
    }),
  );

const money = (minor: number): string => fromMinor(BigInt(Math.abs(minor)));
const mark = (isOut: boolean): string => `<CdtDbtInd>${isOut ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
const amountIn = (minor: number): string => `<Amt Ccy="RUB">${money(minor)}</Amt>`;
const chargeIn = (minor: number): string => `${amountIn(minor)}${mark(minor > 0)}`;
const sum = (all: readonly number[]): number => all.reduce((before, each) => before + each, 0);

const moved = ({ parts, charges }: Batch): number =>
  sum(parts.map(({ minor, isOut }) => (isOut ? -minor : minor))) - sum(charges);

function toCamt(each: Batch): string {
  const { parts, charges, stated } = each;
  const early = charges.map((charge) => `<Chrgs>${chargeIn(charge)}</Chrgs>`);
  const records = charges.map((charge) => `<Rcrd>${chargeIn(charge)}</Rcrd>`);
  const ofBatch = { early: early.join(''), records: `<Chrgs>${records.join('')}</Chrgs>` };
  const own = stated === 'early' || stated === 'records' ? ofBatch[stated] : '';
  const details = parts.map(
    ({ minor, isOut }, index) =>
      `<TxDtls>${amountIn(minor)}${mark(isOut)}${stated === 'parts' ? early[index] : ''}</TxDtls>`,
  );
  const total = moved(each);
  return `<Document><BkToCstmrStmt><Stmt><Ntry>${amountIn(total)}${mark(total < 0)}<BookgDt><Dt>2026-01-31</Dt></BookgDt>${own}<NtryDtls>${details.join('')}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;
}

function expected({ parts, charges, stated }: Batch): object {
  const charged = sum(charges);
  if (charged !== 0 && stated === 'nowhere') return { errors: [{ code: 'batch_total' }] };
  const lines = parts.map(({ minor, isOut }) => ({
    kind: 'transfer',
    direction: isOut ? 'out' : 'in',
    amount: money(minor),
  }));
  const fee = { kind: 'fee', direction: charged > 0 ? 'out' : 'in', amount: money(charged) };
  return { ok: true, lines: charged === 0 ? lines : [...lines, fee] };
}

it('a batch has its parts, and a fee of the charges by which it was booked net (R22.19)', async () => {
  await fc.assert(
    fc.asyncProperty(batch, async (each) => {
      expect(await readStatementFile(inOneChunk(Buffer.from(toCamt(each))), of)).toMatchObject(
        expected(each),
      );
    }),
    { numRuns },
  );
});
