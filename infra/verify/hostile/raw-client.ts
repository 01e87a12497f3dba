import { connect } from 'node:net';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

export type RawAnswer = { status: number; headers: ReadonlyMap<string, string>; body: string };

/** How an exchange ended. `hang`: neither an answer nor the end of the connection in time. */
export type RawExchange = {
  end: 'answered' | 'closed' | 'hang';
  answers: readonly RawAnswer[];
  ms: number;
};

export type RawRequest = {
  /** Pieces that are written one after the other. */
  chunks: readonly Buffer[];
  /**
   * Whether the server has the whole request; otherwise it may wait for more, and the client hangs
   * up.
   */
  whole: boolean;
  /** No body follows the head of the answer. */
  head?: boolean;
};

/** How long a client with an incomplete request waits before it hangs up. */
const patienceMs = 60;
/** Before the server's own limit of a minute on an incomplete request. */
const closeWithinMs = 50_000;

/** Sends raw bytes to a port of loopback, and reads one whole answer, or until the end. */
export function exchangeRaw(port: number, request: RawRequest): Promise<RawExchange> {
  const startedAt = performance.now();
  const received: Buffer[] = [];
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const finish = (end: RawExchange['end']) => {
      for (const timer of timers) clearTimeout(timer);
      socket.destroy();
      const answers = parseAnswers(Buffer.concat(received), request.head === true);
      resolve({ end, answers, ms: performance.now() - startedAt });
    };
    const hangUp = () => {
      socket.end();
      timers.push(setTimeout(() => finish('hang'), closeWithinMs));
    };
    const timers = [
      request.whole
        ? setTimeout(() => finish('hang'), waitLimitMs)
        : setTimeout(hangUp, patienceMs),
    ];
    socket.on('data', (chunk) => {
      received.push(chunk);
      const [last] = parseAnswers(Buffer.concat(received), request.head === true).slice(-1);
      if (last && last.status >= 200) finish('answered');
    });
    socket.on('end', () => finish('closed'));
    // A server may refuse and close while the client still writes: its answer counts.
    socket.on('error', () => setImmediate(finish, 'closed'));
    void write(socket, request.chunks);
  });
}

async function write(socket: ReturnType<typeof connect>, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    await new Promise((resolve) => socket.write(chunk, resolve));
  }
}

/** The whole answers in what was received. */
function parseAnswers(received: Buffer, head = false): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < received.length;) {
    const headEnd = received.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = received.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const bodyAt = headEnd + 4;
    const bodiless = head || status < 200 || status === 204 || status === 304;
    const body = bodiless ? { text: '', end: bodyAt } : readBody(received, bodyAt, headers);
    if (!body) break;
    answers.push({ status, headers, body: body.text });
    at = body.end;
  }
  return answers;
}

function readBody(received: Buffer, start: number, headers: ReadonlyMap<string, string>) {
  if (headers.get('transfer-encoding') === 'chunked') return chunkedBody(received, start);
  const end = start + Number(headers.get('content-length') ?? 0);
  return end > received.length ? undefined : { text: received.toString('utf8', start, end), end };
}

function chunkedBody(received: Buffer, start: number): { text: string; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; at < received.length;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (!(end <= received.length)) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), end };
    parts.push(received.subarray(lineEnd + 2, end - 2));
    at = end;
  }
  return undefined;
}
