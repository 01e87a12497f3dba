import { readFileSync, writeFileSync } from 'node:fs';

/** A field of /proc/<pid>/status in bytes; undefined when the process is gone. */
function statusOf(pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** The most that the process has had resident, as the kernel keeps it. */
export const peakBytes = (pid: number): number | undefined => statusOf(pid, 'VmHWM');

/** Has the kernel begin the peak anew. @returns what is resident now */
export function beginPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return statusOf(pid, 'VmRSS') ?? 0;
}
