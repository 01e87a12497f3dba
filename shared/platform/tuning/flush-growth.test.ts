import {
  appendFileSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { FlushFailed, flushGrowth } from './flush-growth.ts';

const megabyte = 1024 * 1024;

describe('what the files of PostgreSQL grow by', () => {
  let data: string;
  let ended: AbortController;
  const table = () => join(data, 'base', '5', '16400');
  beforeEach(() => {
    data = makeTempFolder();
    mkdirSync(join(data, 'base', '5'), { recursive: true });
    ended = new AbortController();
  });
  afterEach(() => {
    ended.abort();
    removeFolder(data);
  });

  function begin(flush?: (file: string) => Promise<void>) {
    const options = { data, signal: ended.signal, everyMs: 5, findEveryMs: 5 };
    return flushGrowth({ ...options, ...(flush && { flush }) });
  }

  function count() {
    const flushed: string[] = [];
    const over = begin((file) => Promise.resolve(void flushed.push(file)));
    const until = (times: number) =>
      vi.waitFor(() => expect(flushed.length).toBeGreaterThanOrEqual(times), {
        timeout: 20_000,
        interval: 2,
      });
    return { flushed, over, until };
  }

  it('is flushed when a large file has grown, and only then', async () => {
    const small = join(data, 'base', '5', '16401');
    const still = join(data, 'base', '5', '16402');
    writeFileSync(small, 'x');
    writeFileSync(still, Buffer.alloc(megabyte));
    const { flushed, over, until } = count();
    await until(1);
    expect(flushed).toEqual([still]);

    writeFileSync(table(), Buffer.alloc(megabyte));
    await until(2);
    appendFileSync(small, 'x');
    appendFileSync(table(), 'x');
    await until(3);
    expect(flushed).toEqual([still, table(), table()]);
    ended.abort();
    await over;
  });

  it('is flushed again after a file was cut and has grown to less than it was', async () => {
    writeFileSync(table(), Buffer.alloc(3 * megabyte));
    writeFileSync(`${table()}.1`, Buffer.alloc(megabyte));
    const { flushed, until } = count();
    await until(2);
    truncateSync(table(), megabyte);
    // Once the other one was flushed twice, the cut one was looked at in between.
    appendFileSync(`${table()}.1`, 'x');
    await until(3);
    appendFileSync(`${table()}.1`, 'x');
    await until(4);
    appendFileSync(table(), 'x');
    await until(5);
    expect(flushed.at(-1)).toBe(table());
  });

  it('is not missed when a file is gone', async () => {
    writeFileSync(table(), Buffer.alloc(megabyte));
    const { flushed, until } = count();
    await until(1);
    rmSync(table());
    const other = join(data, 'base', '5', '16405');
    writeFileSync(other, Buffer.alloc(megabyte));
    await until(2);
    expect(flushed).toEqual([table(), other]);
  });

  it('is flushed beside what can’t be looked at', async () => {
    const loop = join(data, 'base', '5', '1');
    symlinkSync(loop, loop);
    writeFileSync(table(), Buffer.alloc(megabyte));
    const { flushed, until } = count();
    await until(1);
    expect(flushed).toEqual([table()]);
  });

  it('reaches a real disk', async () => {
    writeFileSync(table(), Buffer.alloc(megabyte));
    const over = begin();
    appendFileSync(table(), Buffer.alloc(megabyte));
    ended.abort();
    await expect(over).resolves.toBeUndefined();
  });

  it('ends with the failure of the disk: only who saw it knows of it', async () => {
    writeFileSync(table(), Buffer.alloc(megabyte));
    const over = begin(() => Promise.reject(new FlushFailed('the disk did not take it')));
    await expect(over).rejects.toThrow(FlushFailed);
  });
});
