import type { ActionEntry, FormContent as PageParts } from '../../frame/actions/form-page.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { Html } from '#shared/platform/pages/index.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Portal, PortalSession, PortalView } from '../env.ts';

/** The input of an act; the shop and the member come from the session. */
export type ActRequest = {
  params: Readonly<Record<string, string>>;
  /** Parameters of the page's path, to which the form is sent too. */
  query: Readonly<Record<string, string>>;
  view: PortalView;
  session: PortalSession;
  /** Who the member's events are recorded for. */
  origin: Origin;
};

export type ActContent = Partial<
  Pick<PageParts, 'about' | 'fields' | 'nothing' | 'aside' | 'warnings'>
> & {
  /** The object in full, below the form; called only where the page is shown. */
  details?(): Promise<Html>;
};

/** The input of a command, with the form's values. */
type ActInput = ActRequest & { values: Values };

/** The outcome of an act, if there is more to report than that it is done. */
type ActOutcome = {
  /** Shown this once. */
  secret?: { label: Words; value: string };
  /** Shown instead of `done`. */
  done?: Words;
  /** The page to go to instead of `back`. */
  next?: string;
};

/** An action of a shop's admin: a page that explains its effect, and its form. */
export type Act = ActionEntry & {
  /** The page to return to afterwards, or on cancel; by default that of its section. */
  back?: string | ((params: ActRequest['params']) => string);
  /** @throws Problem not_found, also for another shop's object */
  prepare(portal: Portal, given: ActRequest): Promise<ActContent>;
  /** The same command as elsewhere. @throws Problem */
  run(portal: Portal, doing: ActInput): Promise<ActOutcome | void>;
};
