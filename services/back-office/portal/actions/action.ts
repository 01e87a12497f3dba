import type { ActionTexts, Prepared as PageParts } from '../../frame/actions/form-page.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { Words } from '#shared/application/pages/translations.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { Portal, Session, View } from '../env.ts';
import type { Section } from '../frame.ts';

/** The input of an act; the shop and the member come from the session. */
export type Given = {
  params: Readonly<Record<string, string>>;
  /** Of the address, which the form is sent to as well. */
  query: Readonly<Record<string, string>>;
  view: View;
  session: Session;
  /** Who the member's events are recorded for. */
  origin: Origin;
};

export type Prepared = Partial<Pick<PageParts, 'about' | 'fields' | 'nothing'>>;

/** What a command takes: the form's values too. */
type Doing = Given & { values: Values };

/** What came of an act, beyond that it is done. */
export type Outcome = {
  /** Shown this once. */
  secret?: { label: Words; value: string };
  /** Said instead of `done`. */
  done?: Words;
  /** The page to go to instead of `back`. */
  next?: string;
};

/** Something that an admin of a shop does: a page that says what will come of it, and its form. */
export type Act = ActionTexts<Section> & {
  path: string;
  /** The page to go back to, when it is done or given up. */
  back: string | ((params: Given['params']) => string);
  /** @throws Problem not_found for what is not there, or another shop's */
  prepare(portal: Portal, given: Given): Promise<Prepared>;
  /** The same command as elsewhere. @throws Problem */
  run(portal: Portal, doing: Doing): Promise<Outcome | void>;
};
