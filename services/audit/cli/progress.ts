import type { Finding } from '../report/findings/findings.ts';

const everyMs = 200;

/** Shows progress in place on a terminal, and nothing elsewhere. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr) {
  const startedAt = performance.now();
  let shownAt = startedAt;
  let shown = false;
  const clear = () => {
    if (shown) stream.write('\r\u001B[K');
    shown = false;
  };
  return {
    update: ({
      events,
      position,
      until,
    }: {
      events: number;
      position: number;
      until: number;
    }): void => {
      const now = performance.now();
      if (!stream.isTTY || now - shownAt < everyMs) return;
      shownAt = now;
      const rate = Math.round(events / ((now - startedAt) / 1000));
      const percent = until > 0 ? Math.min(100, Math.floor((position / until) * 100)) : 100;
      stream.write(`\r\u001B[K${percent} %, ${events} events, ${rate} events/s`);
      shown = true;
    },
    clear,
  };
}

export function findingLine({ rule, stream, revision, message }: Finding): string {
  const location = revision === undefined ? stream : `${stream} revision ${revision}`;
  return `${rule}  ${location}: ${message}\n`;
}
