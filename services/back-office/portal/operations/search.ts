import { findOperations, searchTimeoutMs } from '#projections/operations/finding/find.ts';
import type { OperationFilter } from '#projections/operations/query.ts';
import { readZone } from '#shared/application/pages/zone.ts';
import { sessionReader, type Portal, type PortalContext } from '../env.ts';

type ShopSearch = { q: string; filter: OperationFilter & { shopId: string }; limit?: number };

/** The shop's operations that match what a payer can quote; what was decrypted for it is logged. */
export const searchShop = (c: PortalContext, portal: Portal, { q, ...search }: ShopSearch) =>
  findOperations(portal, {
    ...search,
    line: q,
    zone: readZone(c),
    nowMs: portal.now(),
    saw: (operationId) =>
      portal.accessLog.saw(sessionReader(c), { operationId, shown: 'operation' }),
    signal: AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(searchTimeoutMs)]),
    shopsNamed: () => [],
  });
