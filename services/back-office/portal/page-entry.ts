import type { SitePage, SiteSection } from '../frame/site-map.ts';
import type { Act } from './actions/action.ts';
import type { Portal, PortalContext } from './env.ts';

/** A page of the portal: every member may open it, and only admins do its actions. */
type PortalPage = SitePage<PortalContext, Portal> & {
  actions?: readonly Act[];
};

export type PortalSection = SiteSection<PortalPage>;
