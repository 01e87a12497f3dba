import { expect, it } from 'vitest';
import { formats } from '#shared/application/statements/files/detect.ts';
import { inOneChunk } from '#shared/application/statements/files/source.ts';
import { readStatementFile } from '#shared/application/statements/read-file.ts';
import { bankFileTexts, day } from './files.ts';

it.each(formats)('writes a %s that is read to its last movement', async (format) => {
  const texts = [...bankFileTexts(format, 10_000)];
  const bytes = Buffer.from(texts.join(''));
  const of = { provider: 'bank', account: 'default', currency: 'RUB', day };
  expect(await readStatementFile(inOneChunk(bytes), of)).toMatchObject({
    ok: true,
    dialect: { format },
    lines: { length: texts.length - 2 },
  });
  expect(bytes.length).toBeGreaterThan(9_000);
});
