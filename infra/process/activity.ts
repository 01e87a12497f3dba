import { readdirSync, readFileSync } from 'node:fs';

/** What a process has done so far, and whether it could do more at once. */
export type Activity = {
  /** The processor time of all its threads, in clock ticks. */
  readonly ticks: number;
  /** How often its threads began to wait, or were interrupted. */
  readonly switches: number;
  /** A thread is ready to run, or waits for the disk. */
  readonly isBusy: boolean;
};

/** As the kernel counts it; undefined if the process is gone, or the kernel counts nothing. */
export function readActivity(pid: number): Activity | undefined {
  try {
    // The name in the second field may hold blanks and parentheses: count from the last one.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const threads = readdirSync(`/proc/${pid}/task`).map((id) =>
      readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'),
    );
    const counts = threads.flatMap((status) =>
      [...status.matchAll(/_ctxt_switches:\s*(\d+)/g)].map(([, count]) => Number(count)),
    );
    return {
      ticks: Number(fields[11]) + Number(fields[12]),
      switches: counts.reduce((sum, count) => sum + count, 0),
      isBusy: threads.some((status) => /^State:\s*[RD]/m.test(status)),
    };
  } catch {
    return undefined;
  }
}
