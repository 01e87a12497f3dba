import { eachSetting, viewSettings, type SettingName, type SettingValues } from './derive.ts';
import type { SettingKind } from './entry.ts';
import { settingEntries } from './table.ts';

type Entries = typeof settingEntries;
type ColumnName = {
  [Name in SettingName]: Entries[Name] extends { column: string } ? Name : never;
}[SettingName];

const columnTypes = {
  name: 'text not null',
  switch: 'boolean not null',
  text: 'text',
  url: 'text',
  limits: 'jsonb not null',
  numbers: 'jsonb not null',
} as const satisfies Record<SettingKind, string>;

const withColumn = eachSetting.flatMap(([name, { kind, column: comment }]) =>
  comment === undefined ? [] : [[name, { type: columnTypes[kind], comment }] as const],
);

/** The columns of settings in gateway.shops. */
export const settingColumns = Object.fromEntries(withColumn) as unknown as {
  [Name in ColumnName]: { type: (typeof columnTypes)[Entries[Name]['kind']]; comment: string };
};

/** A shop's values in these columns. */
export type SettingCells = Pick<SettingValues, ColumnName>;

export function settingCells(settings: Parameters<typeof viewSettings>[0]): SettingCells {
  const values = viewSettings(settings);
  return Object.fromEntries(withColumn.map(([name]) => [name, values[name]])) as SettingCells;
}
