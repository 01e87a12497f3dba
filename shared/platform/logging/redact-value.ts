import { redactText } from './redact.ts';

/** Headers and fields whose values are never logged, at any depth. */
const secretFields = new Set([
  'authorization',
  'x-api-key',
  'api_key',
  'token',
  'secret',
  'password',
  'number',
  'name',
  'client_ip',
  'metadata',
  'body',
]);

const maxDepth = 8;
const maxValues = 500;
const maxTextLength = 16 * 1024;

type Budget = { values: number };

/**
 * A copy of a value that may be logged: named secrets are dropped at any depth, texts are masked,
 * numbers are unchanged. Of an error only its type, message, stack and code remain, because drivers
 * attach rows and requests to errors. Values deeper than 8 levels or after the first 500 are
 * omitted.
 */
export function redactValue(value: unknown): unknown {
  return redacted(value, 0, { values: maxValues });
}

/** A text that may be logged: masked, and cut after 16 Ki characters. */
export function redactLogText(text: string): string {
  // Cut before it is scanned: a text may have megabytes.
  const masked = redactText(text.slice(0, maxTextLength + 512));
  return masked.length > maxTextLength ? `${masked.slice(0, maxTextLength)}…` : masked;
}

function redacted(value: unknown, depth: number, budget: Budget): unknown {
  budget.values -= 1;
  if (typeof value === 'string') return redactLogText(value);
  if (typeof value === 'bigint') return redactLogText(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= maxDepth) return '[too deep]';
  if (value instanceof Error) return redactedError(value);
  if (hasToJson(value)) return redacted(value.toJSON(), depth + 1, budget);
  if (Array.isArray(value)) return redactedList(value, depth, budget);
  return redactedFields(value, depth, budget);
}

function redactedError(error: Error & { code?: unknown }) {
  const { code } = error;
  return {
    type: error.constructor.name,
    message: redactLogText(error.message),
    ...(error.stack !== undefined && { stack: redactLogText(error.stack) }),
    ...(typeof code === 'string' && { code: redactLogText(code) }),
    ...(typeof code === 'number' && { code }),
  };
}

function redactedList(list: readonly unknown[], depth: number, budget: Budget): unknown[] {
  const copy: unknown[] = [];
  for (const item of list) {
    if (budget.values <= 0) {
      copy.push('[cut]');
      break;
    }
    copy.push(redacted(item, depth + 1, budget));
  }
  return copy;
}

function redactedFields(fields: object, depth: number, budget: Budget): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(fields)) {
    if (budget.values <= 0) {
      copy['cut'] = true;
      break;
    }
    copy[key] =
      secretFields.has(key.toLowerCase()) && item !== undefined
        ? '[redacted]'
        : redacted(item, depth + 1, budget);
  }
  return copy;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
