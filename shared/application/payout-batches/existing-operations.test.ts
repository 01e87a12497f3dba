import { expect, it } from 'vitest';
import { refuseUsedNames } from './existing-operations.ts';
import { readPayoutFile } from './read-file.ts';

const header = 'merchant_operation_id,client_id,method,amount,currency,number';
const card = '2200123456789010';

it('names an ID that is used next to the other errors of its row (R24.15)', async () => {
  const rows = [
    `a,c,WT_RUB_C2C,1,RUB,${card}`,
    `b,c,WT_RUB_C2C,1.00,RUB,${card}`,
    `b,c,WT_RUB_C2C,1.00,RUB,${card}`,
    'c',
  ];
  const file = await readPayoutFile(Buffer.from([header, ...rows].join('\n')));
  const requested: string[] = [];
  const ports = {
    // All but that of the row without an error, which would be compared with its operation.
    find: async (ids: readonly string[]) => new Set(ids.slice(1)),
    store: {} as never,
    personal: {} as never,
  };
  const refused = await refuseUsedNames(
    {
      ...ports,
      find: (ids) => {
        requested.push(...ids);
        return ports.find(ids);
      },
    },
    file,
    { operationIdSecret: 'ab'.repeat(32) },
  );
  expect(requested).toHaveLength(2);
  expect(refused.errors).toEqual([
    {
      row: 1,
      pointer: '/merchant_operation_id',
      code: 'operation_exists',
      cell: 'A2',
      operation_id: requested[1],
    },
    { row: 1, pointer: '/amount', code: 'amount_invalid', cell: 'D2' },
    { row: 3, pointer: '/merchant_operation_id', code: 'field_invalid', cell: 'A4' },
    { row: 4, pointer: '', code: 'field_invalid' },
  ]);
  expect([refused.numbers, refused.total]).toEqual([[2], { RUB: '1.00' }]);
});
