import { expect, it } from 'vitest';
import { readPayoutFile } from '#shared/application/payout-batches/read-file.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { PortalView } from '../env.ts';
import { explainFile } from './faults.ts';

const view: Pick<PortalView, 't'> = { t: ({ en }) => en };

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
  expect(await explanationOf(`${header.replaceAll(',', ';')}\n`)).toContain('no rows');
  expect(await explanationOf(`${header}\n`)).toContain('no rows');
  expect(await explanationOf('id,client_id\n1,2\n')).toBe(
    'Missing columns: merchant_operation_id, method, amount, currency, number. Columns to remove: id.',
  );
  expect(await explanationOf(`"${header}`)).toContain('neither CSV');
  expect(await explanationOf('PK\u{3}\u{4}')).toContain('neither CSV');
});
