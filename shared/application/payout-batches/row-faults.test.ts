import { expect, it } from 'vitest';
import { readPayoutFile } from './read-file.ts';
import { explainRowError } from './row-faults.ts';

const header = 'merchant_operation_id,client_id,method,amount,currency,number';

it('explains each faulty cell of a row (R24.5)', async () => {
  const rows = [
    'b,c,X,1,RUB,2200',
    'a,c,WT_RUB_C2C,"10,0",RUB,2200',
    'a,c,WT_RUB_PHONE,1.00,RUB,79451234567',
    'x',
  ];
  const { errors } = await readPayoutFile(Buffer.from([header, ...rows].join('\n')));
  expect(errors.map((error) => explainRowError(error).en)).toEqual([
    // All at once, also while the method is unknown.
    expect.stringContaining('no such method'),
    expect.stringContaining('1500.00'),
    expect.stringContaining('12 to 19 digits'),
    expect.stringContaining('1500.00'),
    expect.stringContaining('12 to 19 digits'),
    expect.stringContaining('needs the code of the bank'),
    expect.stringContaining('Another row'),
    expect.stringContaining('The row can’t be read'),
  ]);
});
