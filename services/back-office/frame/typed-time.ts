import { momentIn } from '#shared/application/pages/zone.ts';
import type { View } from './components.ts';

/** A browser leaves seconds out where they are zero. */
const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;

function isLocalTime(text: string): boolean {
  const asUtc = Date.parse(`${text}Z`);
  return local.test(text) && !Number.isNaN(asUtc) && new Date(asUtc).toISOString().startsWith(text);
}

/** The moment of a `time` field, in the page's zone; a text that is no time is left to be refused. */
export const typedTime = (text: string, { zone = 'UTC' }: Pick<View, 'zone'>): string =>
  isLocalTime(text) ? momentIn(text, zone).toISOString() : text;
