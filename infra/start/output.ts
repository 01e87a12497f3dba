import { stripVTControlCharacters } from 'node:util';

/** Severity as pino names it; what a program prints without one is `info`. */
const severities = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type Severity = (typeof severities)[number];

export type Output = {
  /** A line of a child, rendered with its name before it. */
  readonly line: (name: string, line: string, stream?: 'stdout' | 'stderr') => void;
  /** Logs a line of the supervisor itself. */
  readonly log: (severity: Severity, text: string) => void;
  /** Writes the text unchanged. */
  readonly print: (text: string) => void;
};

type StackOutput = Output & {
  /** The start is over: until then children's lines of severity `info` are hidden at that LOG_LEVEL. */
  readonly showInfo: () => void;
};

type OutputOptions = {
  readonly stream: NodeJS.WriteStream;
  /** The LOG_LEVEL; `silent` shows none. */
  readonly level: Severity | 'silent';
  readonly names: readonly string[];
};

const palette = [36, 33, 32, 35, 34, 96, 93, 92, 95, 94];
const alarm: Partial<Record<Severity, number>> = { warn: 33, error: 31, fatal: 31 };

/** Renders the output of all processes in lines: name, time, severity, message, details. */
export function createOutput({ stream, level, names }: OutputOptions): StackOutput {
  const colours = stream.isTTY && !process.env['NO_COLOR'];
  const paint = (code: number | undefined, text: string) =>
    colours && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  const width = Math.max(...names.map((name) => name.length));
  const shown = (severity: Severity) =>
    level !== 'silent' && severities.indexOf(severity) >= severities.indexOf(level);
  let showsInfo = level !== 'info';
  // The reader of this pipe may be gone, which must not stop the stack.
  stream.on('error', () => undefined);

  const write = (name: string, { severity, time, text, always }: Entry) => {
    if (always !== true && !shown(severity)) return;
    const colour = palette[Math.max(names.indexOf(name), 0) % palette.length];
    const head = paint(colour, `${name.padEnd(width)} |`);
    stream.write(`${head} ${time} ${paint(alarm[severity], severity.padEnd(5))} ${text}\n`);
  };
  return {
    line: (name, line, from = 'stdout') => {
      const entry = parseLine(line, { plain: from === 'stderr' ? 'error' : 'info' });
      const isHidden = entry?.severity === 'info' && !entry.always && !showsInfo;
      if (entry !== undefined && !isHidden) write(name, entry);
    },
    log: (severity, text) =>
      write('start', { severity, time: clock(new Date().toISOString()), text }),
    print: (text) => void stream.write(text),
    showInfo: () => void (showsInfo = true),
  };
}

type Entry = {
  readonly severity: Severity;
  readonly time: string;
  readonly text: string;
  /** The access log is shown at every level. */
  readonly always?: true;
};

const clock = (timestamp: string) => timestamp.slice(11, 23);

type ParseOptions = {
  readonly now?: Date;
  /** The severity of a line that has none. */
  readonly plain?: Severity;
};

/**
 * Reads a line of pino, of PostgreSQL, of nats-server or of anything else; undefined when it is
 * blank.
 */
export function parseLine(
  line: string,
  { now = new Date(), plain = 'info' }: ParseOptions = {},
): Entry | undefined {
  const time = clock(now.toISOString());
  const text = stripVTControlCharacters(line).trimEnd();
  if (text.trim() === '') return undefined;
  if (text.startsWith('{')) {
    const entry = parseJson(text, time);
    if (entry !== undefined) return entry;
  }
  const [, postgres, postgresText = ''] =
    /^(DEBUG\d?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC|DETAIL|HINT|STATEMENT|CONTEXT):\s+(.*)$/.exec(
      text,
    ) ?? [];
  if (postgres !== undefined)
    return { severity: ofPostgres(postgres, postgresText), time, text: postgresText };
  const [, nats, natsText = ''] = /^\[\d+\] \[(TRC|DBG|INF|WRN|ERR|FTL)\] ?(.*)$/.exec(text) ?? [];
  if (nats !== undefined) return { severity: ofNats(nats, natsText), time, text: natsText };
  return { severity: text.startsWith('(node:') ? 'warn' : plain, time, text };
}

// A session's errors are logged by the service of the session; the servers' routine messages are
// for debugging.
function ofPostgres(severity: string, text: string): Severity {
  // For a client that connects during a start or a stop.
  if (text.startsWith('the database system is ')) return 'debug';
  if (severity === 'PANIC') return 'error';
  return severity === 'FATAL' || severity === 'WARNING' ? 'warn' : 'debug';
}

function ofNats(severity: string, text: string): Severity {
  // Only the owner can read its configuration file.
  if (text.startsWith('Plaintext passwords')) return 'debug';
  if (severity === 'FTL' || severity === 'ERR') return 'error';
  return severity === 'WRN' ? 'warn' : 'debug';
}

const envelope = new Set(['level', 'time', 'msg', 'message', 'service', 'pid', 'hostname']);

function parseJson(text: string, now: string): Entry | undefined {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { level, time } = fields;
  const severity = severities.find((name) => name === level) ?? 'info';
  const details = Object.entries(fields)
    .filter(([name]) => !envelope.has(name))
    .map(([name, value]) => `${name}=${readable(value)}`);
  return {
    ...(fields['log'] === 'access' && { always: true }),
    severity,
    time: typeof time === 'string' ? clock(time) : now,
    text: [readable(fields['msg'] ?? fields['message'] ?? ''), ...details]
      .filter((part) => part !== '')
      .join(' '),
  };
}

function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  const stack = (value as { stack?: unknown } | null)?.stack;
  return typeof stack === 'string' ? stack.replaceAll('\n', '\n    ') : JSON.stringify(value);
}
