import { createHash } from 'node:crypto';
import type { Route } from '#shared/domain/routing.ts';

/** A version of a shop's routes, to notice that they changed since they were read. */
export const versionOf = (routes: readonly Route[]): string =>
  createHash('sha256').update(JSON.stringify(routes)).digest('hex').slice(0, 16);
