import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, open, opendir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '#shared/platform/make-folder.ts';
import type { ErasableReceiptStore, ListedFile } from './receipt-store.ts';

/** Of a file that is being written. */
const unfinishedEnd = '.new';

/** Receipts as files below `root`: for one machine, or several that share the folder. */
export function createDirectoryStore(root: string): ErasableReceiptStore {
  /** Places a file that was written durably under its name. */
  const place = async (key: string, content: Uint8Array, move: typeof rename) => {
    const path = receiptPath(root, key);
    const folder = dirname(path);
    makeFolder(folder);
    const unfinished = `${path}.${randomUUID()}${unfinishedEnd}`;
    try {
      await writeDurably(unfinished, content);
      await move(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    // The directory entries must be on the disk too: the file's in its folder, and the folder's
    // in its parent.
    for (const each of [folder, dirname(folder)]) await syncFolder(each);
  };
  return {
    put: (key, content) => place(key, content, rename),
    create: (key, content) =>
      place(key, content, link).then(
        () => true,
        async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          // A network file system repeats what got no answer: this call may have made it.
          const present = await unlessAbsent(readFile(receiptPath(root, key)));
          return present?.equals(content) === true;
        },
      ),
    get: (key, mostBytes) => unlessAbsent(readBytes(receiptPath(root, key), mostBytes)),
    remove: async (key) => {
      const path = receiptPath(root, key);
      const removed = await unlessAbsent(rm(path).then(() => true));
      // Otherwise the name might come back if the machine crashes now.
      if (removed) await syncFolder(dirname(path));
    },
    list: async (folder) => {
      const path = receiptPath(root, folder);
      const names = (await unlessAbsent(readdir(path))) ?? [];
      const files: ListedFile[] = [];
      for (const name of names.filter((each) => !each.endsWith(unfinishedEnd))) {
        const stored = await unlessAbsent(stat(join(path, name)));
        if (stored) files.push({ name, storedAtMs: stored.mtimeMs });
      }
      return files;
    },
    names: async function* (folder, after = '') {
      const files = (await unlessAbsent(opendir(receiptPath(root, folder)))) ?? [];
      for await (const { name } of files)
        if (name > after && !name.endsWith(unfinishedEnd)) yield name;
    },
    storedAtMs: async (key) => (await unlessAbsent(stat(receiptPath(root, key))))?.mtimeMs,
    removeAll: async (operationId) => {
      const folder = receiptPath(root, operationId);
      const names = await unlessAbsent(readdir(folder));
      if (!names) return 0;
      await rm(folder, { recursive: true, force: true });
      await syncFolder(dirname(folder));
      return names.length;
    },
  };
}

/** The result; undefined if the file or folder doesn't exist. */
async function unlessAbsent<T>(done: Promise<T>): Promise<T | undefined> {
  return done.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** A file's bytes, or only the first of them: a file may be larger than memory. */
async function readBytes(path: string, mostBytes: number | undefined): Promise<Uint8Array> {
  if (mostBytes === undefined) return readFile(path);
  const parts: Buffer[] = [];
  for await (const part of createReadStream(path, { end: mostBytes - 1 }))
    parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Only ids and slashes: no key leads out of the folder. */
function receiptPath(root: string, key: string): string {
  if (!/^[A-Za-z0-9-]+(\/[A-Za-z0-9-]+)*$/.test(key))
    throw new Error('not a key of the receipt store');
  return join(root, key);
}
