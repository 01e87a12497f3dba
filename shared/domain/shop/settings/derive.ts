import { roles, type Role } from '../../operator/events.ts';
import { shopSettingsSchema, type ShopSettings } from '../events.ts';
import type { SettingEntry } from './entry.ts';
import { settingEntries } from './table.ts';

type Entries = typeof settingEntries;
export type SettingName = keyof Entries;

type Value<Entry extends SettingEntry> = Entry extends { kind: 'name' }
  ? string
  : Entry extends { kind: 'switch' }
    ? boolean
    : Entry extends { kind: 'text' | 'url' }
      ? string | null
      : Entry extends { members: infer Members }
        ? { -readonly [Member in keyof Members]: number }
        : ShopSettings['overdraft_limits'];
type ChangedValue<Entry extends SettingEntry> = Entry extends { kind: 'numbers' }
  ? { [Member in keyof Value<Entry>]?: number | undefined }
  : Value<Entry>;

/** The settings as they are shown: each has a value. */
export type SettingValues = { -readonly [Name in SettingName]: Value<Entries[Name]> };

/** The settings that a command names; the numbers of one may be named one by one. */
export type SettingsChange = {
  [Name in SettingName]?: ChangedValue<Entries[Name]> | undefined;
};

export const eachSetting = Object.entries(settingEntries) as [SettingName, SettingEntry][];

/** The roles that may change some of the settings. */
export const settingRoles: readonly Role[] = roles.filter((role) =>
  eachSetting.some(([, { changedBy }]) => changedBy.includes(role)),
);

/** Which of these settings the caller may not change; `hasRole`: whether it has one of the roles. */
export const forbiddenSettings = (
  names: readonly string[],
  hasRole: (allowed: readonly Role[]) => boolean,
): string[] =>
  eachSetting
    .filter(([name, { changedBy }]) => names.includes(name) && !hasRole(changedBy))
    .map(([name]) => name);

function defaultSetting(entry: SettingEntry): unknown {
  switch (entry.kind) {
    case 'name':
      return undefined;
    case 'switch':
      return entry.default;
    case 'text':
    case 'url':
      return null;
    case 'limits':
      return {};
    case 'numbers':
      return Object.fromEntries(
        Object.entries(entry.members).map(([member, number]) => [member, number.default]),
      );
  }
}

/** Settings of an event, or of a row. */
type RecordedSettings = { [Name in SettingName]?: SettingValues[Name] | null | undefined };

/** A setting that is not recorded has its default. */
export function viewSettings(settings: RecordedSettings): SettingValues {
  const values = eachSetting.map(([name, entry]) => [
    name,
    settings[name] ?? defaultSetting(entry),
  ]);
  return Object.fromEntries(values) as SettingValues;
}

/** The settings of an event after a change of those before; of a new shop there are none. */
export function changeSettings(before: RecordedSettings, change: SettingsChange): ShopSettings {
  const current = viewSettings(before);
  const names = Object.keys(shopSettingsSchema.shape) as SettingName[];
  const stored = names.flatMap((name) => {
    const entry = settingEntries[name];
    const value = changeValue(entry, current[name], change[name]);
    return isImplied(name, value) ? [] : [[name, value]];
  });
  return Object.fromEntries(stored) as ShopSettings;
}

function changeValue({ kind }: SettingEntry, current: unknown, change: unknown): unknown {
  if (change === undefined) return current;
  if (kind !== 'numbers') return change;
  const named = Object.entries(change as object).filter(([, value]) => value !== undefined);
  return { ...(current as object), ...Object.fromEntries(named) };
}

/** One that came after the first shops is absent at its default, as in their events. */
const isImplied = (name: SettingName, value: unknown): boolean =>
  shopSettingsSchema.shape[name].safeParse(undefined).success &&
  JSON.stringify(value) === JSON.stringify(defaultSetting(settingEntries[name]));
