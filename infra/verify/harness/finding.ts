/** A rule that was broken, with what shows it. */
export type Finding = { readonly what: string; readonly shows?: unknown };

/** Says that a rule is broken. */
export type Find = (what: string, shows?: unknown) => void;
