import type { EntityStore } from '../entities/entity-store.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { shopOf } from './shop-of.ts';

export type Figures = { events: number; operations: number; entries: number };

/** Counts the events of one shop. */
export type ShopFigures = ReturnType<typeof createShopFigures>;

export function createShopFigures(shopId: string, entities: EntityStore) {
  const figures: Figures = { events: 0, operations: 0, entries: 0 };
  return {
    figures: figures as Readonly<Figures>,
    /** To be called after the judge has applied the event. */
    take: (envelope: EventEnvelope): void => {
      if (shopOf(envelope, entities) !== shopId) return;
      const { stream, revision } = envelope.event;
      figures.events += 1;
      if (stream.startsWith('operation-') && revision === 0) figures.operations += 1;
      if (stream.startsWith('ledger-')) figures.entries += 1;
    },
  };
}
