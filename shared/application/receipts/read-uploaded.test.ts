import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { ReplacedReceiptError, readUploadedFile } from './read-uploaded.ts';

const uploaded = Buffer.from('%PDF-1.7 a transfer');
const receipt = {
  receiptId: 'r-1',
  sha256: hash('sha256', uploaded, 'hex'),
  pdf: true,
  submitted: false,
};

it.each([
  ['the uploaded bytes', uploaded, uploaded],
  ['no bytes, as after an erasure', undefined, undefined],
])('reads %s', async (_, stored, expected) => {
  expect(await readUploadedFile({ get: async () => stored }, 'o-1', receipt)).toEqual(expected);
});

it('reads no file that was replaced in the store (R9.13)', async () => {
  const another = Buffer.from('%PDF-1.7 b transfer');
  const read = readUploadedFile({ get: async () => another }, 'o-1', receipt);
  await expect(read).rejects.toThrow(ReplacedReceiptError);
});

it('asks the store for one byte more than the log has', async () => {
  const wanted: (number | undefined)[] = [];
  const get = async (_: string, mostBytes?: number) => {
    wanted.push(mostBytes);
    return uploaded;
  };
  await readUploadedFile({ get }, 'o-1', { ...receipt, sizeBytes: uploaded.byteLength });
  expect(wanted).toEqual([uploaded.byteLength + 1]);
});
