import { pino, type DestinationStream, type Logger } from 'pino';
import { redactLogText, redactValue } from './redact-value.ts';
import { isLoggedElsewhere } from './logged-elsewhere.ts';
import { scopeFields } from '#shared/platform/tracing/scope.ts';

export type { Logger };

/**
 * Structured logs on stdout (or `destination`), one JSON line each. Named secrets are dropped; what
 * looks like an API key, a token, a webhook secret, a card or a phone number is masked in any text.
 * Values are masked before they are serialised: a line is always valid JSON. What is logged for a
 * request carries its id, and its trace's. The bindings of a child logger are not masked: bind ids
 * alone.
 */
export function createLogger(
  service: string,
  level: string,
  destination?: DestinationStream,
): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
    },
    // Errors are plain objects already; pino's serialiser would change their type.
    serializers: { err: redactValue },
    mixin: scopeFields,
    hooks: {
      logMethod(
        this: Logger,
        args: unknown[],
        write: (...values: [object, string?]) => void,
        severity: number,
      ) {
        if (severity > debugSeverity && args.some(isLoggedAlready)) {
          this.debug(...(args as [object, string]));
          return;
        }
        write.apply(this, withMessage(args).map(redactedArgument) as [object, string?]);
      },
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

const debugSeverity = 20;

/** Whether the line's error is logged elsewhere: then it is logged at level debug. */
function isLoggedAlready(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isLoggedElsewhere(value)) return true;
  return ['err', 'cause'].some(
    (name) => name in value && isLoggedElsewhere((value as Fields)[name]),
  );
}

type Fields = Record<string, unknown>;

/** The message of an error that is logged without a text: pino would add it unmasked. */
function withMessage(args: readonly unknown[]): readonly unknown[] {
  const [first, message] = args;
  const fields = first instanceof Error ? { err: first } : first;
  if (typeof fields !== 'object' || fields === null || message !== undefined)
    return [fields, ...args.slice(1)];
  const error = 'err' in fields && fields.err instanceof Error ? fields.err : undefined;
  return error === undefined ? [fields] : [fields, error.message];
}

function redactedArgument(value: unknown): unknown {
  return typeof value === 'string' ? redactLogText(value) : redactValue(value);
}
