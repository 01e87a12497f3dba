import { fileURLToPath } from 'node:url';
import {
  runTool,
  startTool,
  type ToolEnvironment,
} from '#infra/verify/harness/processes/tool-process.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

export const startMove = (where: ToolEnvironment, args: readonly string[]) =>
  startTool(main, where, args);

export const runMove = (where: ToolEnvironment, ...args: string[]) => runTool(main, where, args);
