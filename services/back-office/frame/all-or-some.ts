import type { Words } from '#shared/application/pages/translations.ts';
import type { Values } from '#shared/platform/sessions/form.ts';
import type { View } from './components.ts';
import type { Field } from './form-fields.ts';

/** The values of the choice; with neither chosen, the form is refused. */
const [all, some] = ['all', 'some'] as const;

type Choice<Value extends string> = {
  name: string;
  label: Words;
  hint?: Words;
  /** The texts of the two answers. */
  all: Words;
  some: Words;
  options: Readonly<Record<Value, Words>>;
  /** Shows the options' own names, as developers know them. */
  withCodes?: boolean;
  /** What is chosen now: `undefined` is everything; not given: nothing. */
  chosen?: { values: readonly Value[] | undefined };
};

const boxName = (name: string, value: string): string => `${name}:${value}`;

/** “Everything” or “only these”, with the boxes of the latter below it. */
export function allOrSomeFields<Value extends string>(
  { t }: Pick<View, 't'>,
  choice: Choice<Value>,
): Field[] {
  const { name, label, hint, options, chosen } = choice;
  const answer = chosen && (chosen.values === undefined ? all : some);
  const boxes = Object.entries<Words>(options).map(([value, text]): Field => ({
    name: boxName(name, value),
    label: text,
    ...(choice.withCodes && { hint: { ru: value, en: value } }),
    kind: 'switch',
    under: name,
    value: chosen?.values?.includes(value as Value) ? 'on' : '',
  }));
  const radio: Field = {
    name,
    label,
    ...(hint && { hint }),
    kind: 'radio',
    choices: [
      { value: all, text: t(choice.all) },
      { value: some, text: t(choice.some) },
    ],
    value: answer ?? '',
  };
  return [radio, ...boxes];
}

/** What was chosen: `undefined` is everything; nothing, which no command accepts, is empty. */
export function readAllOrSome<Value extends string>(
  values: Values,
  name: string,
  options: readonly Value[],
): Value[] | undefined {
  if (values[name] === all) return undefined;
  return values[name] === some
    ? options.filter((value) => Boolean(values[boxName(name, value)]))
    : [];
}
