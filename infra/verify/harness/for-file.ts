import { beforeAll, onTestFinished } from 'vitest';
import { makeTempFolder, removeFolder } from './temp-folder.ts';

/**
 * What `open` opens for the tests of a file, or of a `describe`: it has its members from their
 * `beforeAll` on, and is closed after their `afterAll`.
 */
export function forFile<Opened extends object>(
  open: () => Opened | Promise<Opened>,
  close: (opened: Opened) => unknown = () => undefined,
): Opened {
  const members = {} as Opened;
  beforeAll(async () => {
    const opened = await open();
    Object.assign(members, opened);
    return async () => void (await close(opened));
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
