import { fileURLToPath } from 'node:url';
import {
  runTool,
  spawnTool,
  startTool,
  type ToolEnvironment,
} from '#infra/verify/harness/processes/tool-process.ts';

const pathTo = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const [backup, restore] = [pathTo('../main.ts'), pathTo('../../restore/main.ts')];

export const startBackup = (where: ToolEnvironment, ...args: string[]) =>
  startTool(backup, where, args);

/** For `forFile`, or a `beforeAll`. */
export const spawnBackup = (where: ToolEnvironment, ...args: string[]) =>
  spawnTool(backup, where, args);

export const backUp = (where: ToolEnvironment, ...args: string[]) => runTool(backup, where, args);

export const restoreBackup = (...args: string[]) => runTool(restore, {}, args);
