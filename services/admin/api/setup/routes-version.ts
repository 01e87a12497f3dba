import { createHash } from 'node:crypto';
import type { Route } from '#shared/domain/routing.ts';

/** Tells whether a shop's routes are still those that somebody read. */
export const versionOf = (routes: readonly Route[]): string =>
  createHash('sha256').update(JSON.stringify(routes)).digest('hex').slice(0, 16);
