import { expect, it } from 'vitest';
import { formats } from '#shared/application/statements/files/detect.ts';
import { readStatementFile } from '#shared/application/statements/read-file.ts';
import { day, writeBankFile } from './files.ts';

it.each(formats)('writes a %s that is read to its last movement', async (format) => {
  const { bytes, ends } = writeBankFile(format, 10_000);
  const of = { provider: 'bank', account: 'default', currency: 'RUB', day };
  expect(await readStatementFile(bytes, of)).toMatchObject({
    ok: true,
    dialect: { format },
    lines: { length: ends.length },
  });
  expect(bytes.length).toBeGreaterThan(9_000);
});
