import { openedFields } from '#shared/domain/operation/fields/request.ts';
import { destinations, isMethod, methods } from '#shared/domain/methods/index.ts';

/** Fields that hold card or phone numbers, anywhere in an event. */
const masked = new Set(['number']);

/**
 * A card number's first six and last four digits (R16.5), a phone number's last four. Without a
 * method the length of the number decides. A masked number stays as it is: a hidden digit counts as
 * a digit.
 */
export function maskNumber(number: string, method?: string): string {
  const digits = number.replace(/[^\d*]/g, '').length;
  const kind = method !== undefined && isMethod(method) ? methods[method].destination : 'card';
  const isCard = digits >= 12 && !number.startsWith('+');
  const shownFirst = isCard ? destinations[kind].firstShown : 0;
  const hidden = Math.max(0, number.length - shownFirst - 4);
  return `${number.slice(0, shownFirst)}${'*'.repeat(hidden)}${number.slice(shownFirst + hidden)}`;
}

/**
 * The value with its card and phone numbers masked. Sealed values that could not be opened are
 * shown as erased.
 * @param method the operation's: it decides which kind of number they are
 */
export function maskNumbers(value: unknown, method?: string): unknown {
  if (Array.isArray(value)) return value.map((each) => maskNumbers(each, method));
  if (typeof value !== 'object' || value === null) return value;
  const { sealed, ...rest } = value as { sealed?: unknown };
  if (typeof sealed === 'string') return { erased: true, ...rest };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      masked.has(key) && typeof member === 'string'
        ? maskNumber(member, method)
        : maskNumbers(member, method),
    ]),
  );
}

/**
 * An event's data as operators see it: its numbers masked, and without names of people, which the
 * view of one operation alone shows (R16.5).
 */
export function shownData(data: unknown, method?: string): unknown {
  if (!isObject(data)) return data;
  const { request, requisites } = data;
  const shown = maskNumbers(
    {
      ...data,
      ...(isObject(request) && {
        request: { ...request, destination: withoutName(request['destination']) },
      }),
      ...(isObject(requisites) && { requisites: withoutName(requisites) }),
    },
    method,
  );
  if (!isObject(request)) return shown;
  // As the merchant sent them, whatever their names are.
  const rest = shown as { request: object };
  return { ...rest, request: { ...rest.request, ...openedFields(request) } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function withoutName(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { name: _, ...rest } = value;
  return rest;
}
