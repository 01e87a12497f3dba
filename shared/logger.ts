import { pino, type Logger } from 'pino';
import { redactText } from './redact.ts';

export type { Logger };

/** Header and field names whose values never reach a log line, wherever they stand. */
const secretFields = [
  'authorization',
  'x-api-key',
  'api_key',
  'token',
  'secret',
  'password',
  'number',
  'name',
  'client_ip',
  'body',
];

/**
 * Structured logs on stdout, one JSON line each. Named secrets are dropped; what looks like an API key, a
 * webhook secret, a card or a phone number is masked in any text.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: secretFields.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]),
      censor: '[redacted]',
    },
    hooks: { streamWrite: redactText },
  });
}
