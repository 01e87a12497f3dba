import type { ActionTexts, Prepared as PageParts } from '../../frame/actions/form-page.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Portal, Session, View } from '../env.ts';
import type { Section } from '../frame.ts';

/** The input of an act; the shop and the member come from the session. */
export type Given = {
  params: Readonly<Record<string, string>>;
  /** Parameters of the page's path, to which the form is sent too. */
  query: Readonly<Record<string, string>>;
  view: View;
  session: Session;
  /** Who the member's events are recorded for. */
  origin: Origin;
};

export type Prepared = Partial<Pick<PageParts, 'about' | 'fields' | 'nothing'>>;

/** The input of a command, with the form's values. */
type Doing = Given & { values: Values };

/** The outcome of an act, if there is more to say than that it is done. */
export type Outcome = {
  /** Shown this once. */
  secret?: { label: Words; value: string };
  /** Said instead of `done`. */
  done?: Words;
  /** The page to go to instead of `back`. */
  next?: string;
};

/** An action of a shop's admin: a page that explains its effect, and its form. */
export type Act = ActionTexts<Section> & {
  path: string;
  /** The page to return to afterwards, or on cancel. */
  back: string | ((params: Given['params']) => string);
  /** @throws Problem not_found, also for another shop's object */
  prepare(portal: Portal, given: Given): Promise<Prepared>;
  /** The same command as elsewhere. @throws Problem */
  run(portal: Portal, doing: Doing): Promise<Outcome | void>;
};
