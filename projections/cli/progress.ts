import type { Progress } from '../rebuild/replay.ts';

const everyMs = { terminal: 200, log: 5_000 } as const;

/** Shows a replay's progress on stderr: in place on a terminal, else in occasional lines. */
export function showProgress(name: string) {
  const isTerminal = process.stderr.isTTY;
  const startedAt = performance.now();
  let total = 0;
  let shownAt = startedAt;
  let inPlace = false;
  return {
    update: ({ events, position, until }: Progress): void => {
      total = Math.max(total, events);
      const now = performance.now();
      if (now - shownAt < everyMs[isTerminal ? 'terminal' : 'log']) return;
      shownAt = now;
      const rate = Math.round(total / ((now - startedAt) / 1000));
      const percent = until > 0n ? Math.min(100, Number((position * 100n) / until)) : 100;
      const text = `${name}: ${percent} %, ${total} events, ${rate} events/s`;
      process.stderr.write(isTerminal ? `\r\u001B[K${text}` : `${text}\n`);
      inPlace = isTerminal;
    },
    end: (): void => {
      if (inPlace) process.stderr.write('\r\u001B[K');
    },
  };
}
