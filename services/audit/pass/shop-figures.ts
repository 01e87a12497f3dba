import type { Dossiers } from '../dossier/dossiers.ts';
import type { Seen } from '../findings/accuse.ts';
import { shopOf } from './shop-of.ts';

export type Figures = { events: number; operations: number; entries: number };

/** How much of the log is about one shop. */
export type ShopFigures = ReturnType<typeof createShopFigures>;

export function createShopFigures(shopId: string, dossiers: Dossiers) {
  const figures: Figures = { events: 0, operations: 0, entries: 0 };
  return {
    figures: figures as Readonly<Figures>,
    /** After its judge has taken the event into the dossier. */
    take: (seen: Seen): void => {
      if (shopOf(seen, dossiers) !== shopId) return;
      const { stream, revision } = seen.event;
      figures.events += 1;
      if (stream.startsWith('operation-') && revision === 0) figures.operations += 1;
      if (stream.startsWith('ledger-')) figures.entries += 1;
    },
  };
}
