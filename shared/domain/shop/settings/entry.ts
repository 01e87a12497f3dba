import type { Role } from '../../operator/events.ts';

type InTwoLanguages = { ru: string; en: string };

type NumberMember = { label: InTwoLanguages; max: number; default: number };

/** The forms of a setting: which values it has, and how a person enters and reads them. */
type SettingForm =
  /** One line that is never empty. */
  | { kind: 'name' }
  | { kind: 'switch'; default: boolean }
  /** A text that null clears, which is also its default. */
  | { kind: 'text'; maxCodePoints: number }
  /** The same of a URL; `refuse` returns why a text can't be one. */
  | {
      kind: 'url';
      refuse: (text: string, deployment: { allowHttp: boolean }) => string | undefined;
    }
  /** An amount by currency; a currency without one has no limit. `each` labels one of them. */
  | { kind: 'limits'; each: InTwoLanguages }
  /** Whole numbers from 1 on. `summary` has them all in one line. */
  | {
      kind: 'numbers';
      members: Readonly<Record<string, NumberMember>>;
      summary: InTwoLanguages;
    };

export type SettingKind = SettingForm['kind'];

/** All that is known of a setting of a shop. */
export type SettingEntry = SettingForm & {
  /** The roles of operators who may change it. */
  changedBy: readonly Role[];
  /** What it does, in the reference of those who use the admin API, as Markdown. */
  about: string;
  /** Its name for people, in the console. */
  label: InTwoLanguages;
  /** What the console's form adds: a longer label, and a hint. */
  form?: { label?: InTwoLanguages; hint?: InTwoLanguages };
  /** The comment of its column in gateway.shops, for analysts; without one it has no column. */
  column?: string;
};
