import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
/** As `npm run audit` has them. */
const flags = ['--max-semi-space-size=16', '--heap-growing-percent=40'];

type AuditRun = { code: number; stdout: string; stderr: string };

/** Runs the audit as a process of its own, with this environment instead of this process's. */
export function runAuditProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { withinMs = 110_000 }: { withinMs?: number } = {},
): Promise<AuditRun> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...flags, main, ...args],
      {
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          // Half of a short audit is the compilation of its code.
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          ...env,
        },
        timeout: withinMs,
        maxBuffer: 2 ** 26,
      },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
        resolve({ code, stdout, stderr });
      },
    );
  });
}

type AuditReport = {
  readonly events: number;
  readonly operations: number;
  readonly entries: number;
  readonly findings: unknown;
  readonly violated_rules: unknown;
  readonly notes: readonly string[];
};

/** What it said of itself with `--json`; undefined if it did not get that far. */
export function auditReportOf({ stdout }: AuditRun): AuditReport | undefined {
  try {
    return JSON.parse(stdout) as AuditReport;
  } catch {
    return undefined;
  }
}

/**
 * What an audit beside a running stack must say.
 * @throws with all that it said, when it says anything else
 */
export async function expectSoundBooks(dataDir: string): Promise<void> {
  const { code, stdout, stderr } = await runAuditProcess(['--json'], { DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`the audit ended with ${code}:\n${stdout}${stderr}`);
}
