import { expect, it } from 'vitest';
import { readPayoutFile } from '#shared/application/payout-batches/read-file.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { View } from '../env.ts';
import { explainCell, explainFile } from './faults.ts';

const view: Pick<View, 't'> = { t: ({ en }) => en };

/** The explanation of a file that is rejected as a whole. */
async function explanationOf(text: string): Promise<string | undefined> {
  try {
    await readPayoutFile(Buffer.from(text));
  } catch (error) {
    if (error instanceof Problem) return explainFile(view, error);
    throw error;
  }
  return 'not refused';
}

const header = 'merchant_operation_id,client_id,method,amount,currency,number';

it('explains why a payout file can’t be read (R24.5)', async () => {
  expect(await explanationOf(`${header.replaceAll(',', ';')}\n1;2;3;4;5;6\n`)).toContain(
    'by commas',
  );
  expect(await explanationOf(`${header.replaceAll(',', '\t')}\n`)).toContain('by commas');
  expect(await explanationOf(`${header}\n`)).toContain('no rows');
  expect(await explanationOf('id,client_id\n1,2\n')).toBe(
    'Missing columns: merchant_operation_id, method, amount, currency, number. Columns to remove: id.',
  );
  expect(await explanationOf(`"${header}`)).toBe('It is no CSV file in UTF-8.');
});

it('explains each faulty cell of a row (R24.5)', async () => {
  const rows = ['a,c,WT_RUB_C2C,"10,00",RUB,2200', 'a,c,WT_RUB_PHONE,1.00,RUB,79451234567', 'x'];
  const { errors } = await readPayoutFile(Buffer.from([header, ...rows].join('\n')));
  const explanations = errors.map((error) => explainCell(view, error));
  expect(explanations).toEqual([
    expect.stringContaining('1500.00'),
    expect.stringContaining('12 to 19 digits'),
    expect.stringContaining('needs the bank'),
    expect.stringContaining('Another row'),
    expect.stringContaining('The row can’t be read'),
  ]);
});
