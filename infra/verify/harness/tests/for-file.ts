import { beforeAll, onTestFinished } from 'vitest';
import { makeTempFolder, removeFolder } from '../processes/temp-folder.ts';

type Closable = Partial<Record<'close' | 'stop' | 'drop', () => unknown>>;

/**
 * What `open` opens for the tests of a file, or of a `describe`: it has its members from their
 * `beforeAll` on, and is closed, stopped or dropped after their `afterAll`.
 */
export function forFile<Opened extends object>(open: () => Opened | Promise<Opened>): Opened {
  const members = {} as Opened;
  beforeAll(async () => {
    const opened = await open();
    Object.assign(members, opened);
    const { close, stop, drop } = opened as Closable;
    return async () => void (await (close ?? stop ?? drop)?.());
  });
  return members;
}

export function folderForFile(): string {
  const folder = makeTempFolder();
  beforeAll(() => () => removeFolder(folder));
  return folder;
}

/** A temporary folder that is removed when the test is over. */
export function useTempFolder(): string {
  const folder = makeTempFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}
