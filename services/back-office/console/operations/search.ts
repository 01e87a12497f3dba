import {
  findOperations,
  searchTimeoutMs,
  type OperationSearch,
} from '#projections/operations/finding/find.ts';
import { readZone } from '#shared/application/pages/zone.ts';
import type { Console, ConsoleContext } from '../env.ts';
import { parseOperationFilter, type ConsoleOperationFilter } from './filter.ts';

type LineSearch = { q: string; filter: ConsoleOperationFilter } & Pick<
  OperationSearch,
  'shopsNamed' | 'limit'
>;

/** Operations of all shops that match what a caller can quote; what was decrypted is logged. */
export function searchShops(
  c: ConsoleContext,
  console: Console,
  { q, filter, ...search }: LineSearch,
) {
  const operator = c.get('session').holder;
  const zone = readZone(c);
  return findOperations(console, {
    ...search,
    line: q,
    filter: parseOperationFilter(filter, zone),
    zone,
    nowMs: console.now(),
    saw: (operationId) => console.accessLog.saw(operator, { operationId, shown: 'operation' }),
    signal: AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(searchTimeoutMs)]),
  });
}
