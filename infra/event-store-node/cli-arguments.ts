import { parseArgs } from 'node:util';

type CliArguments = {
  readonly directory: string;
  readonly host: string;
  readonly port: number;
  readonly maxEventsBehind?: number;
  readonly sameUserOnly: boolean;
};

export const USAGE =
  'usage: npx node infra/event-store-node/main.ts --port N --dir PATH [--host 127.0.0.1] [--max-events-behind N] [--same-user]';

/** Reads the command line; undefined if it does not fit `USAGE`. */
export function parseArguments(args: readonly string[]): CliArguments | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        dir: { type: 'string' },
        host: { type: 'string', default: '127.0.0.1' },
        'max-events-behind': { type: 'string' },
        'same-user': { type: 'boolean', default: false },
      },
    });
    const port = Number(values.port);
    if (values.dir === undefined || values.port === undefined || values.port.trim() === '')
      return undefined;
    if (!Number.isInteger(port) || port < 0 || port > 65_535) return undefined;
    const value = values['max-events-behind'];
    const maxEventsBehind = Number(value);
    if (value !== undefined && !(Number.isInteger(maxEventsBehind) && maxEventsBehind > 0))
      return undefined;
    const bound = value === undefined ? {} : { maxEventsBehind };
    const sameUserOnly = values['same-user'];
    return { directory: values.dir, host: values.host, port, sameUserOnly, ...bound };
  } catch {
    return undefined;
  }
}
