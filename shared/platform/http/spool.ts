import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from './problems.ts';

/** A body that is too large for memory, and is read more than once. */
export type Spool = {
  /** @throws Problem not_ready when the disk is full */
  write(chunk: Uint8Array): Promise<void>;
  /** What was written, from its beginning each time. */
  read(): AsyncIterable<Uint8Array>;
};

const cipher = 'aes-256-ctr';
const chunkBytes = 64 * 1024;

/**
 * Gives a spool to the work, and removes it afterwards. It is a temporary file without a name, so
 * it ends with the process too, encrypted with a key that is in memory only.
 */
export async function withSpool<T>(work: (spool: Spool) => Promise<T>): Promise<T> {
  const file = await openUnnamed();
  const secret = [randomBytes(32), randomBytes(16)] as const;
  const encryption = createCipheriv(cipher, ...secret);
  try {
    return await work({
      write: async (chunk) => {
        await file.appendFile(encryption.update(chunk)).catch(throwNotReady);
      },
      read: async function* () {
        const decryption = createDecipheriv(cipher, ...secret);
        for (let at = 0; ;) {
          const { bytesRead, buffer } = await file.read(
            Buffer.alloc(chunkBytes),
            0,
            chunkBytes,
            at,
          );
          if (bytesRead === 0) return;
          yield decryption.update(buffer.subarray(0, bytesRead));
          at += bytesRead;
        }
      },
    });
  } finally {
    await file.close();
  }
}

async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `upload-${randomUUID()}`);
  const file = await open(path, 'ax+', 0o600).catch(throwNotReady);
  await unlink(path);
  return file;
}

function throwNotReady(cause: unknown): never {
  throw new Problem('not_ready', { detail: 'the file could not be stored: retry later', cause });
}
