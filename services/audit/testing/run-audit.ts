import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
/** The Node flags of `npm run audit`. */
const flags = ['--max-semi-space-size=16', '--heap-growing-percent=40'];

type AuditRun = { code: number; stdout: string; stderr: string };

/** Runs the audit in a child process with only this environment. */
export function runAuditProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { withinMs = waitLimitMs }: { withinMs?: number } = {},
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

/** Its `--json` output; undefined if it failed before. */
export function auditReportOf({ stdout }: AuditRun): AuditReport | undefined {
  try {
    return JSON.parse(stdout) as AuditReport;
  } catch {
    return undefined;
  }
}

/**
 * Expects an audit of a running stack to find nothing.
 * @throws with its whole output otherwise
 */
export async function expectAuditToPass(dataDir: string): Promise<void> {
  const { code, stdout, stderr } = await runAuditProcess(['--json'], { DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`the audit ended with ${code}:\n${stdout}${stderr}`);
}
