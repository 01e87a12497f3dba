import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTerminalProgress } from './progress.ts';

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  process.stderr.isTTY = false;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Reads ten events of a thousand each second. */
function read(
  progress: ReturnType<typeof createTerminalProgress>,
  from: number,
  until: number,
): void {
  for (let second = from; second <= until; second += 1) {
    progress.update({ events: second * 10, position: second * 10, until: 1_000 });
    vi.advanceTimersByTime(1_000);
  }
}

it('writes a line after five seconds and then every minute, where there is no terminal', () => {
  const progress = createTerminalProgress('ledger');
  read(progress, 0, 70);
  expect(lines).toEqual([
    'ledger: 5 %, 50 events, 10 events/s, 2 min left\n',
    'ledger: 65 %, 650 events, 10 events/s, 35 s left\n',
  ]);
  progress.note('The log is read.');
  expect(lines.at(-1)).toBe('ledger: The log is read.\n');
});

it('writes nothing of what is over at once', () => {
  const progress = createTerminalProgress();
  read(progress, 0, 3);
  progress.note('The log is read.');
  expect(lines).toEqual([]);
});
