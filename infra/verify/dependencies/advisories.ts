import { spawnSync } from 'node:child_process';

type Advisory = { name: string; severity: string; title: string };

type Advice =
  | { outcome: 'answered'; advisories: Advisory[] }
  /** The registry did not answer: nothing is known, which is no reason to fail. */
  | { outcome: 'unknown'; reason: string };

const timeoutMs = 60_000;

/** Queries the registry for advisories on the versions of the lock file. Never throws. */
export function askForAdvisories(root: string, more: readonly string[] = []): Advice {
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', ...more];
  const { stdout, error } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return error ? { outcome: 'unknown', reason: error.message } : readAdvice(stdout);
}

type Report = {
  auditReportVersion?: number;
  message?: string;
  error?: { summary?: string; code?: string };
  vulnerabilities?: Record<string, { severity: string; via: (string | { title?: string })[] }>;
};

/** The output of `npm audit --json`: a report, or an error. */
export function readAdvice(output: string): Advice {
  let report: Report;
  try {
    report = JSON.parse(output) as Report;
  } catch {
    return { outcome: 'unknown', reason: 'npm audit did not answer' };
  }
  if (report.auditReportVersion === undefined) {
    const { error, message } = report;
    return {
      outcome: 'unknown',
      reason: error?.summary || message || error?.code || 'the registry has no answer',
    };
  }
  const advisories = Object.entries(report.vulnerabilities ?? {}).map(
    ([name, { severity, via }]) => {
      const titles = via.map((each) =>
        typeof each === 'string' ? `through ${each}` : (each.title ?? 'without a title'),
      );
      return { name, severity, title: titles.join('; ') };
    },
  );
  return { outcome: 'answered', advisories };
}

/** The advisories that must be resolved before a merge. */
export const grave = (advisories: readonly Advisory[]): Advisory[] =>
  advisories.filter(({ severity }) => severity === 'high' || severity === 'critical');
