import { createHash } from 'node:crypto';
import type { Route } from '#shared/domain/routing.ts';

/** The version of a shop's routes, to detect concurrent changes. */
export const hashRoutes = (routes: readonly Route[]): string =>
  createHash('sha256').update(JSON.stringify(routes)).digest('hex').slice(0, 16);
