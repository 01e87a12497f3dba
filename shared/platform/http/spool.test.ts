import { readdirSync, readlinkSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { withSpool, type Spool } from './spool.ts';

async function contentIn(spool: Pick<Spool, 'read'>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of spool.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The open files of this process that have no name any more. */
const unnamed = () =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = `/proc/self/fd/${fd}`;
    try {
      return readlinkSync(path).startsWith(`${tmpdir()}/upload-`) ? [path] : [];
    } catch {
      return [];
    }
  });

it('a spool has what was written, each time that it is read', async () => {
  const chunk = fc
    .record({ length: fc.nat(200_000), text: fc.string({ minLength: 1 }) })
    .map(({ length, text }) => Buffer.alloc(length, text));
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 4 }), async (chunks) => {
      await withSpool(async (spool) => {
        for (const each of chunks) await spool.write(each);
        const both = [await contentIn(spool), await contentIn(spool)];
        expect(both.map((each) => each.equals(Buffer.concat(chunks)))).toEqual([true, true]);
      });
    }),
    { numRuns: 20 },
  );
});

it('a spool has no name, no readable content, and is gone afterwards', async () => {
  const text = 'a payer’s name';
  await withSpool(async (spool) => {
    await spool.write(Buffer.from(text));
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('upload-'))).toEqual([]);
    const [path = ''] = unnamed();
    const stored = readFileSync(path);
    expect(stored).toHaveLength(Buffer.byteLength(text));
    expect(stored.includes('payer')).toBe(false);
  });
  expect(unnamed()).toEqual([]);
});
