import { z } from 'zod';
import { amountText } from '#shared/application/amount-text.ts';
import { decimalErrors } from '#shared/application/create-body/decimals.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { eachSetting, type SettingsChange } from '#shared/domain/shop/settings/derive.ts';
import type { SettingEntry } from '#shared/domain/shop/settings/entry.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';
import { boundedText, nameText } from '#shared/platform/http/texts.ts';
import type { ValidationOptions } from '#shared/platform/http/validate.ts';

const limits = z.strictObject(
  Object.fromEntries(currencies.map((currency) => [currency, amountText.optional()])),
);

function bodySchema(entry: SettingEntry): z.ZodType {
  switch (entry.kind) {
    case 'name':
      return nameText;
    case 'switch':
      return z.boolean();
    case 'text':
      return boundedText(entry.maxCodePoints)
        .refine((value) => value.trim() !== '', 'must hold more than white space')
        .nullable();
    case 'url':
      return z.string().nullable();
    case 'limits':
      return limits;
    case 'numbers':
      return z.strictObject(
        Object.fromEntries(
          Object.entries(entry.members).map(([member, { max }]) => [
            member,
            z.int().min(1).max(max).optional(),
          ]),
        ),
      );
  }
}

/** The members of a body that changes settings: all of them are optional. */
export const settingBodies = Object.fromEntries(
  eachSetting.map(([name, entry]) => [name, bodySchema(entry).optional()]),
) as unknown as { [Name in keyof SettingsChange]-?: z.ZodType<SettingsChange[Name]> };

/** A limit is named by its currency: each is an amount. */
export function shopRules({ allowPrivate }: { allowPrivate: boolean }): ValidationOptions {
  return {
    codes: Object.fromEntries(currencies.map((currency) => [currency, 'amount_invalid'])),
    across: (body) =>
      eachSetting.flatMap(([name, entry]) =>
        valueErrors(`/${name}`, { entry, value: body[name], allowHttp: allowPrivate }),
      ),
  };
}

function valueErrors(
  pointer: string,
  { entry, value, allowHttp }: { entry: SettingEntry; value: unknown; allowHttp: boolean },
): FieldError[] {
  if (entry.kind === 'limits' && typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([currency, limit]) =>
      decimalErrors(currency, { [`${pointer}/${currency}`]: limit }),
    );
  if (entry.kind !== 'url' || typeof value !== 'string') return [];
  const detail = entry.refuse(value, { allowHttp });
  return detail === undefined ? [] : [{ pointer, code: 'field_invalid', detail }];
}
