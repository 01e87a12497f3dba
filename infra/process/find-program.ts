import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The program's path: from PATH, else from system folders that are often missing in PATH. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  const folders = [
    ...path.split(delimiter),
    '/usr/local/bin',
    '/usr/local/sbin',
    '/usr/bin',
    '/usr/sbin',
  ];
  return folders
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
