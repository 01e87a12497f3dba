import type { SitePage, SiteSection } from '../frame/site-map.ts';
import type { Action } from './actions/action.ts';
import type { Console, ConsoleContext } from './env.ts';

/** A page of the console. Its roles are those of a route of the admin API that answers the same. */
type ConsolePage = SitePage<ConsoleContext, Console> & {
  route: string;
  /** What operators do from here; an action is shown in the section of its page. */
  actions?: readonly Action[];
};

export type ConsoleSection = SiteSection<ConsolePage> & { key: string };
